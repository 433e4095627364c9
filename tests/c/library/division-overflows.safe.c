//@ verdict: safe
// div(INT_MIN, -1) has no quotient.
#include <limits.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == INT_MIN)
    return 0;
  div_t d = div(x, -1);
  return d.rem;
}
