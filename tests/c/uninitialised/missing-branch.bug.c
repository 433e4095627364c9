//@ verdict: violation
#include <stdio.h>

static int sign(int x) {
  int result;
  if (x > 0)
    result = 1;
  else if (x < 0)
    result = -1;
  if (result > 0)  //~ uninitialised
    puts("positive");
  return 0;
}

int main(void) {
  return sign(0);
}
