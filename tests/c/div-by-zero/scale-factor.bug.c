//@ verdict: violation
#include <stdio.h>

int main(void) {
  int width = 640;
  int columns = width / 1000;
  int gap = width / columns;  //~ div-by-zero
  printf("%d\n", gap);
  return 0;
}
