//@ verdict: safe
#include <limits.h>

static int midpoint(int lo, int hi) {
  return lo + (hi - lo) / 2;
}

int main(void) {
  return midpoint(INT_MAX - 3, INT_MAX) > 0 ? 0 : 1;
}
