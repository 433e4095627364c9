//@ verdict: safe
//@ inputs: 3
//@ unwind: 10
// A function that calls itself walks over a struct byte by byte.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct env {
  int list[2];
  int last;
};

static void walk(char *p, int n) {
  if (n == 0)
    return;
  *p = 1;
  walk(p + 1, n - 1);
}

int main(void) {
  static struct env e;
  int x = below(5);
  walk((char *)&e, 8);
  assert(x < 5);
  assert(e.last == 0);
  return 0;
}
