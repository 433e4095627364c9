// What a function without body returned counted as the address of a variable of the program's, by the number that blitz gives it: a violation that
// no run has. It needs a native run to be one.
//@ verdict: unknown
//@ checks: assertion
//@ native: none
#include <assert.h>

int *from_outside(void);
static int kept = 1;

int main(void) {
  int *p = from_outside();
  *p = 0;
  assert(kept == 1);
  return 0;
}
