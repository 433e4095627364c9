//@ verdict: safe
// strtod and printf were off in the last bits.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char text[400];
  double big = strtod("1.7976931348623157e308", 0);
  sprintf(text, "%.17g %.20f", 1e23, 0.1);
  assert(big > 1.7976931348623155e308);
  assert(strcmp(text, "9.9999999999999992e+22 0.10000000000000000555") == 0);
  return 0;
}
