//@ verdict: violation
//@ inputs: -2147483648
#include <limits.h>

extern int __VERIFIER_nondet_int(void);

static int magnitude(int x) {
  if (x == INT_MAX)
    return INT_MAX;
  return x < 0 ? -x : x;  //~ signed-overflow
}

int main(void) {
  return magnitude(__VERIFIER_nondet_int()) >= 0 ? 0 : 1;
}
