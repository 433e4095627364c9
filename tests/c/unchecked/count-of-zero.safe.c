// `__builtin_ffs` is the same instruction of LLVM's, and has a value at 0.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>

int main(void) {
  unsigned x = __VERIFIER_nondet_uchar();
  int first = __builtin_ffs(x);
  assert(first <= 8 && (first != 0 || x == 0));
  return 0;
}
