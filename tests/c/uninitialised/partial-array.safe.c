//@ verdict: safe
#include <stdio.h>

int main(void) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = i;
  for (int i = 0; i < 4; i++)
    if (a[i] == 7)
      puts("seven");
  return 0;
}
