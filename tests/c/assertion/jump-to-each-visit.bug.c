//@ verdict: violation
//@ unwind: 4
//@ inputs: 3,7,7,2,7,7,2,7,7,2
// Every visit of a loop sets the point that a loop in the callee jumps to.
#include <setjmp.h>
static jmp_buf env;
static void work(int n) {
  for (int i = 0; i < n; i++)
    if (__VERIFIER_nondet_int() == i)
      longjmp(env, i + 1);
}
int main(void) {
  volatile int errors = 0, rounds = 0;
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n <= 3);
  for (volatile int r = 0; r < n; r++) {
    rounds++;
    int e = setjmp(env);
    if (e) {
      errors += e;
      continue;
    }
    work(n);
  }
  __VERIFIER_assert(errors <= 8 && rounds == n);  //~ assertion
  return 0;
}
