//@ verdict: safe
// Was: a false alarm. Output that leaves the program is only counted, and the digits that were never written out
// were then read as indeterminate.
#include <stdio.h>

int main(void) {
  int n = 640;
  printf("%d\n", n / 100);
  return 0;
}
