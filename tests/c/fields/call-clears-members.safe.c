//@ verdict: safe
//@ inputs: 3
// A function clears a member, and with one more element the next as well.
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct env {
  char head[4];
  int list[4];
  int last;
};

static void clear(struct env *e, int x) {
  for (int k = 0; k < 2; k++)
    e->head[k] = x;
  memset((char *)e + sizeof e->head, 0, 4 * sizeof(int));
}

int main(void) {
  static struct env e;
  e.head[3] = 1;
  e.last = 7;
  clear(&e, below(5));
  assert(e.head[3] == 1);
  assert(e.last == 7);
  return 0;
}
