//@ verdict: violation
// A number that scanf reads.
#include <stdio.h>
int main(void) {
  int n;
  if (scanf("%d", &n) != 1 || n < -1 || n > 20)
    return 0;
  return 100 / (n + 1);  //~ div-by-zero
}
