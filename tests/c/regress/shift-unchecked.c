// With checks of shifts switched off a shift by too much gave 0, which no machine says: `safe`.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>

int main(void) {
  unsigned amount = __VERIFIER_nondet_uchar() & 63;
  unsigned shifted = 1u << amount;
  assert(amount < 32 || shifted == 0);
  return 0;
}
