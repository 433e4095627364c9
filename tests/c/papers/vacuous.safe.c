//@ verdict: safe
//@ native: none
// Assumptions that contradict each other let everything pass: the assertion is reached by no execution.
#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 0) {
    __VERIFIER_assume(x < 0);
    assert(0);
  }
  return 0;
}
