//@ verdict: violation
#include <stddef.h>

static int divide(int a, int b, int *rest) {
  if (rest == NULL)
    *rest = a % b;  //~ null-deref
  return a / b;
}

int main(void) {
  return divide(7, 2, NULL) == 3 ? 0 : 1;
}
