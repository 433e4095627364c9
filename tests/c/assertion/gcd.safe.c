//@ verdict: safe
#include <assert.h>

static unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned r = a % b;
    a = b;
    b = r;
  }
  return a;
}

int main(void) {
  assert(gcd(48, 36) == 12);
  return 0;
}
