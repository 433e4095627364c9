//@ verdict: safe
//@ inputs: 1
#include <stdint.h>
// Which object a number means is known where it was made from a pointer and something small.
int main(void) {
  char a[8] = "abcdefg";
  uintptr_t p = (uintptr_t)&a[5];
  p -= __VERIFIER_nondet_uint() & 1;
  p -= 4;
  __VERIFIER_assert(*(char *)p <= 'b');
  return 0;
}
