//@ verdict: violation
#include <stdio.h>

int main(void) {
  int a[4];
  for (int i = 0; i < 3; i++)
    a[i] = i;
  for (int i = 0; i < 4; i++)
    if (a[i] == 7)  //~ uninitialised
      puts("seven");
  return 0;
}
