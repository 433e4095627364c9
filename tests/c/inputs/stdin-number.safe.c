//@ verdict: safe
// Two numbers that scanf reads.
#include <stdio.h>
int main(void) {
  int a, b;
  if (scanf("%d %d", &a, &b) != 2 || a < 10 || a > 20 || b < 0 || b > 20)
    return 0;
  return a / (b + 1);
}
