//@ verdict: violation
//@ inputs: 1
#include <fenv.h>
int main(void) {
  unsigned short before, after;
  __asm__("fstcw %0" : "=m"(before));
  if (__VERIFIER_nondet_bool())
    fesetround(FE_UPWARD);
  __asm__("fnstcw %0" : "=m"(after));
  __VERIFIER_assert((before & 0xc00) == 0 && ((after & 0xc00) == 0x800) == (fegetround() == FE_TONEAREST));  //~ assertion
  return 0;
}
