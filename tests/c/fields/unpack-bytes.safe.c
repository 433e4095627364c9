//@ verdict: safe
//@ unwind: 14
// A struct is read out of the bytes of a member, and written back into them, by a function that knows only bytes.
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct head {
  short kind;
  unsigned short size;
  int sum;
};
struct packet {
  int seen;
  unsigned char raw[16];
  struct head head;
  int errors;
};

static void bytes(unsigned char *to, const void *from, unsigned n) {
  const unsigned char *p = from;
  for (unsigned i = 0; i < n; i++)
    to[i] = p[i];
}

static void unpack(struct packet *p) {
  memcpy(&p->head, p->raw, sizeof p->head);
  if (p->head.size > 4)
    p->errors++;
  p->seen++;
}

int main(void) {
  static struct packet p;
  int size = __VERIFIER_nondet_int();
  __VERIFIER_assume(size >= 0 && size <= 4);
  struct head h = {3, (unsigned short)size, 12};
  bytes(p.raw, &h, sizeof h);
  unpack(&p);
  assert(p.seen == 1 && p.head.kind == 3 && p.head.sum == 12);
  assert(p.errors == 0);
  return 0;
}
