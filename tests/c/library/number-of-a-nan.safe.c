//@ verdict: safe
// Which NaN `nan(12)` is: the number is in its bits, in strtod and in nan.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned long bits(double d) {
  unsigned long b;
  memcpy(&b, &d, sizeof b);
  return b;
}

int main(void) {
  assert(bits(strtod("-nan(0x7f)", NULL)) == 0xfff800000000007f);
  assert(bits(nan("09")) == 0x7ff8000000000000 && bits(nan("5)")) == 0x7ff8000000000000);
  assert(bits(strtod("nan(12)", NULL)) == 0x7ff8000000000000 + 12);
  return 0;
}
