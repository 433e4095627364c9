//@ verdict: violation
//@ checks: assertion
//@ inputs: 2147483647
// The successor of a number above ten is larger, but for the largest number, whose successor wraps around.
#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 10 && x <= 2147483647);
  int next = x + 1;
  assert(next > x);  //~ assertion
  return 0;
}
