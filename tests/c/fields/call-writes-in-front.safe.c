//@ verdict: safe
//@ inputs: 3
// A function is given a member, and writes to the one in front of it by a negative index.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct env {
  int mode;
  int list[8];
  int last;
};

static void work(int *list, int x) {
  for (int k = 0; k < 3; k++)
    list[k + 0] = x + 1;
}

int main(void) {
  static struct env e;
  e.last = 7;
  int *inside = (int *)((char *)&e + sizeof(int));
  work(inside, below(5));
  assert(e.last == 7);
  assert(e.mode == 0);
  return 0;
}
