//@ verdict: safe
//@ unwind: 4
// The callee writes through one of its variable arguments.

#include <stdarg.h>

static void set_all(int count, ...) {
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++)
    *va_arg(list, int *) = i;
  va_end(list);
}

int main(void) {
  int a = 5, b = 5;
  set_all(1, &a, &b);
  __VERIFIER_assert(a == 0 && b == 5);
  return 0;
}
