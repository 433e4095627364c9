//@ verdict: violation
//@ unwind: 6
//@ inputs: 1,-1,1,-1,1,-1,1,0
// Jumps back as often as the data allows: nothing in the code counts.
#include <setjmp.h>
static jmp_buf top;
static int errors;
static void command(void) {
  int c = __VERIFIER_nondet_int();
  if (c < 0 && errors < 3) {
    errors++;
    longjmp(top, 1);
  }
}
int main(void) {
  setjmp(top);
  if (__VERIFIER_nondet_int()) {
    command();
    __VERIFIER_assert(errors != 3);  //~ assertion
  }
  return 0;
}
