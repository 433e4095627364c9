//@ verdict: safe
// imaxabs(INTMAX_MIN) is no number.
#include <inttypes.h>
extern long long __VERIFIER_nondet_longlong(void);
int main(void) {
  intmax_t x = __VERIFIER_nondet_longlong();
  if (x == INTMAX_MIN)
    return 0;
  return imaxabs(x) < 0;
}
