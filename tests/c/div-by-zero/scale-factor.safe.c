//@ verdict: safe
#include <stdio.h>

int main(void) {
  int width = 640;
  int columns = width / 100;
  int gap = width / columns;
  printf("%d\n", gap);
  return 0;
}
