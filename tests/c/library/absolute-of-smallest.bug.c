//@ verdict: violation
//@ inputs: -9223372036854775808
//@ native: none
// imaxabs(INTMAX_MIN) is no number.
#include <inttypes.h>
extern long long __VERIFIER_nondet_longlong(void);
int main(void) {
  intmax_t x = __VERIFIER_nondet_longlong();
  if (x == INTMAX_MAX)
    return 0;
  return imaxabs(x) < 0;  //~ signed-overflow
}
