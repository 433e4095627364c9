// The zeros of 0 have no number: a machine's instruction leaves what was in the register, or gives 31 or 32. Their count was 32 here, and the assertion failed.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>

int main(void) {
  unsigned x = __VERIFIER_nondet_uchar();
  int zeros = __builtin_clz(x);
  assert(zeros != 32);
  return 0;
}
