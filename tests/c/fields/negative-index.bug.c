//@ verdict: violation
//@ inputs: 2
// A pointer into one member reaches back into the one before it.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int a[4], b[4];
} s;

int main(void) {
  int *p = (int *)((char *)&s + sizeof s.a);
  p[-1 - below(3)] = 7;
  assert(s.a[1] == 0);  //~ assertion
  return 0;
}
