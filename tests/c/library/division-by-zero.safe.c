//@ verdict: safe
// div() had no arithmetic checks.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 1 || x > 9)
    return 0;
  div_t d = div(5, x);
  return d.quot > 5;
}
