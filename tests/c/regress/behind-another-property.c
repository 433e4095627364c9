//@ verdict: unknown
//@ property: main.assertion.1
//@ native: none
// The write behind the array ends every execution in which the assertion fails. Asked for the assertion alone, blitz said `safe`.
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int a[3] = {0}, *p = a, i = __VERIFIER_nondet_int();
  if (i < 0 || i > 3)
    return 0;
  p[i] = 1;
  assert(i != 3);
  return 0;
}
