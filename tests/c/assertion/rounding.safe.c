//@ verdict: safe
//@ inputs: 16777217
// The current rounding mode decides: a number that a float does not hold has one below and one above.
#include <assert.h>
#include <fenv.h>
#include <math.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  fesetround(FE_UPWARD);
  float above = n;
  fesetround(FE_DOWNWARD);
  float below = n;
  assert(below <= above);

  volatile double one = 1, three = 3, ten = 10, small = 0x1p-60, most = 0x1.fffffffffffffp1023;
  assert(one / ten < 0.1 && rint(-1.5) == -2 && one - small < 1 && signbit(one - one));
  assert((float)-ten / 3 < -ten / 3 || (float)one == 1);
  fesetround(FE_UPWARD);
  assert(one / three > 0.33333333333333331 && rint(1.25) == 2 && one + small > 1 && !signbit(one - one));
  assert(isinf(most + most) && !isinf(-most - most) && sqrt(three) * sqrt(three) > three);
  fesetround(FE_TOWARDZERO);
  assert(-one / ten > -0.1 && rint(-1.75) == -1 && !isinf(most + most));
  assert(fegetround() == FE_TOWARDZERO && __builtin_flt_rounds() == 0);
  fenv_t kept;
  fegetenv(&kept);
  fesetenv(FE_DFL_ENV);
  assert(fegetround() == FE_TONEAREST && one + small == 1);
  fesetenv(&kept);
  assert(fegetround() == FE_TOWARDZERO && fesetround(77) != 0);
  return 0;
}
