// A run read zeros behind an int that is fetched as a long, where the engines saw indeterminate bytes: the violation was never confirmed.
//@ verdict: violation
//@ native: none
#include <stdarg.h>

static int first(int n, ...) {
  va_list list;
  va_start(list, n);
  long x = va_arg(list, long);
  va_end(list);
  return x > 5;  //~ uninitialised
}

int main(void) { return first(1, 7); }
