//@ verdict: safe
#include <stdio.h>

int main(void) {
  unsigned flags[2];
  flags[0] = 1;
  flags[1] = 2;
  unsigned *p = &flags[1];
  if (*p & 2)
    puts("set");
  return 0;
}
