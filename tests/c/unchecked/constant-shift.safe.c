// The amount is known while the program is simplified: the shift by too much has no value there either.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>

int main(void) {
  unsigned one = __VERIFIER_nondet_uchar() & 1;
  unsigned amount = 4;
  unsigned shifted = one << amount;
  assert(shifted <= 16);
  return 0;
}
