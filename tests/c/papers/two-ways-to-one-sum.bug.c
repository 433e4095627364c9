//@ verdict: violation
//@ run: exit
//@ checks: default,-uninitialised
//@ native: none
// Two paths merge: whichever was taken, the result is one of two values.
#include <assert.h>

int main(void) {
  int which, level = 8;
  if (which)
    level--;
  else
    level++;
  assert(level == 7 || level == 10);  //~ assertion
  return 0;
}
