//@ verdict: safe
// A number that scanf reads.
#include <stdio.h>
int main(void) {
  int n;
  if (scanf("%d", &n) != 1 || n < 0 || n > 20)
    return 0;
  return 100 / (n + 1);
}
