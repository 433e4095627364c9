//@ verdict: violation
//@ checks: +pointer-overflow
//@ inputs: -1
#include <stddef.h>

extern long __VERIFIER_nondet_long(void);

int main(void) {
  char data[8] = {0};
  const char *start = data;
  size_t n = (size_t)__VERIFIER_nondet_long();
  if (n > (size_t)-1)
    return 0;
  const char *end = start + n;  //~ pointer-overflow
  return end == NULL;
}
