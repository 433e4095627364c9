//@ verdict: violation
//@ inputs: 3
//@ unwind: 14
// Two members of one type are handed to one function; a third one and what is around them stay as they are.
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct buf {
  unsigned len;
  unsigned char data[8];
};
struct ctx {
  int before;
  struct buf in;
  int between;
  struct buf out, spare;
  int after;
};

static void fill(struct buf *b, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    b->data[b->len++] = (unsigned char)(i + 1);
}

static void move(struct buf *to, struct buf *from) {
  memcpy(to->data, from->data, from->len);
  to->len = from->len;
  from->len = 0;
}

int main(void) {
  static struct ctx c;
  unsigned n = (unsigned)__VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 2 && n <= 5);
  c.before = c.between = c.after = 9;
  fill(&c.in, n);
  fill(&c.out, 1);
  move(&c.out, &c.in);
  assert(c.before + c.between + c.after == 27 && c.spare.len == 0);
  assert(c.out.data[1] == 2 && c.in.len == 0);
  assert(c.out.len < n);  //~ assertion
  return 0;
}
