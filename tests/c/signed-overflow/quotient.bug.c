//@ verdict: violation
#include <limits.h>

static int ratio(int a, int b) {
  if (b == 0)
    return 0;
  return a / b;  //~ signed-overflow
}

int main(void) {
  return ratio(INT_MIN, -1) == 0;
}
