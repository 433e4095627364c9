// With that check switched off a path that came to what cannot be reached ended there, and what others said of it was `safe`.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>

static int known(int n) {
  if (n == 3)
    __builtin_unreachable();
  return n;
}

int main(void) {
  int n = __VERIFIER_nondet_uchar() & 3;
  assert(known(n) != 3);
  return 0;
}
