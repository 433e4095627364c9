//@ verdict: safe
// A pointer under a mask that is zero or all ones, computed without a branch (as against speculation): which object it names was not seen, and
// the answer was `unknown`.
#include <stddef.h>
#include <stdint.h>
unsigned long __VERIFIER_nondet_ulong(void);

static size_t mask(size_t index, size_t bound) {
  size_t outside = index | bound | (bound - index - 1);
  return (~outside / (SIZE_MAX - (SIZE_MAX >> 1))) * SIZE_MAX;
}

int main(void) {
  char a[4] = {1, 2, 3, 4};
  size_t i = __VERIFIER_nondet_ulong();
  char *p = (char *)((uintptr_t)a & mask(i, 4));
  if (p) return p[i];  //~ buffer-overflow
  return 0;
}
