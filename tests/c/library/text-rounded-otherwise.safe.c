//@ verdict: safe
// To nearest again.
#include <assert.h>
#include <fenv.h>
#include <stdlib.h>

int main(void) {
  fesetround(FE_TOWARDZERO);
  fesetround(FE_TONEAREST);
  assert(strtod("0.1000000000000000000000001", NULL) == 0.1);
  return 0;
}
