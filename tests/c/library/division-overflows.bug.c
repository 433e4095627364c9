//@ verdict: violation
//@ inputs: -2147483648
//@ native: none
// div(INT_MIN, -1) has no quotient.
#include <limits.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == INT_MAX)
    return 0;
  div_t d = div(x, -1);  //~ signed-overflow
  return d.rem;
}
