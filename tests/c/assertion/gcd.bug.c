//@ verdict: violation
#include <assert.h>

static unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned r = a % b;
    a = r;
    b = r;
  }
  return a;
}

int main(void) {
  assert(gcd(48, 36) == 12);  //~ assertion
  return 0;
}
