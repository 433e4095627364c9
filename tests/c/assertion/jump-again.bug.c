//@ verdict: violation
// Tries again after each failure, from inside a loop: every setjmp that is executed is a point of its own.
#include <setjmp.h>
static jmp_buf again;
static int failures;
static void attempt(int n) {
  if (failures < n) {
    failures++;
    longjmp(again, failures);
  }
}
int main(void) {
  volatile int total = 0;
  for (volatile int i = 0; i < 2; i++) {
    failures = 0;
    int seen = setjmp(again);
    __VERIFIER_assert(seen == failures);
    attempt(3);
    total += failures;
  }
  __VERIFIER_assert(total == 3);  //~ assertion
  return 0;
}
