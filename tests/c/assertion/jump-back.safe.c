//@ verdict: safe
// longjmp comes back to its setjmp from two calls down, with its value; locals of the function that set it are kept.
#include <setjmp.h>
static jmp_buf out;
static void deeper(int x) {
  int local[4] = {x};
  if (local[0] > 10)
    longjmp(out, local[0]);
}
static int parse(int x) {
  deeper(x);
  return 1;
}
int main(void) {
  volatile int steps = 0;
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x < 1000);
  int code = setjmp(out);
  steps++;
  if (code == 0) {
    int got = parse(x);
    __VERIFIER_assert(got == 1 && x <= 10);
  } else {
    __VERIFIER_assert(code == x && steps == 2);
  }
  return 0;
}
