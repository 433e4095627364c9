//@ verdict: violation
//@ inputs: 1,3,2
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int max3(int a, int b, int c) {
  int m = a;
  if (b > m)
    m = b;
  if (c > a)
    m = c;
  return m;
}

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  int c = __VERIFIER_nondet_int();
  int m = max3(a, b, c);
  assert(m >= a && m >= b && m >= c);  //~ assertion
  return 0;
}
