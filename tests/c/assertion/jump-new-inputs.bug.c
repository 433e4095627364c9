//@ verdict: violation
//@ unwind: 8
//@ inputs: 3,0,0,0,0,2,4
// What is read after a jump back is another input than what was read before, at every depth of a recursion.
#include <setjmp.h>
static jmp_buf top;
static void dig(int n) {
  if (__VERIFIER_nondet_int() == n)
    longjmp(top, n);
  if (n > 0)
    dig(n - 1);
}
int main(void) {
  volatile int tries = 0;
  int got = setjmp(top);
  tries++;
  int x = __VERIFIER_nondet_int();
  if (tries == 1 && x == 3)
    dig(6);
  if (tries == 2)
    __VERIFIER_assert(!(x == 4 && got == 2));  //~ assertion
  return 0;
}
