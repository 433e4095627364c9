//@ verdict: safe
//@ property: main.assertion.1
// Nothing else goes wrong before the assertion.
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int a[4] = {0}, *p = a, i = __VERIFIER_nondet_int();
  if (i < 0 || i > 2)
    return 0;
  p[i] = 1;
  assert(i != 3);
  return 0;
}
