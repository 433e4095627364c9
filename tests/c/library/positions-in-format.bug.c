//@ verdict: violation
// Positions of arguments were refused.
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char text[32];
  sprintf(text, "%2$s is %1$*3$d", 42, "x", 4);
  assert(strcmp(text, "x is  42") == 0);  //~ assertion
  return 0;
}
