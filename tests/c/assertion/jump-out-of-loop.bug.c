//@ verdict: violation
//@ unwind: 14
//@ inputs: 12,1,1,1,1,1,1,1,1,1,-1
// Jumps out of a loop after some visits. What is asserted can only be reached by the jump.
#include <setjmp.h>
static jmp_buf out;
static int seen;
static void read_all(int n) {
  for (int i = 0; i < n; i++) {
    int x = __VERIFIER_nondet_int();
    if (x < 0)
      longjmp(out, 7);
    seen++;
  }
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n <= 12);
  if (setjmp(out) == 0) {
    read_all(n);
    return 0;
  }
  __VERIFIER_assert(seen != 9);  //~ assertion
  return 0;
}
