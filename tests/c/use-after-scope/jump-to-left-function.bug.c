//@ verdict: violation
//@ native: none
// The function that called setjmp has returned.
#include <setjmp.h>
static jmp_buf there;
static int mark(void) { return setjmp(there); }
int main(void) {
  if (mark() == 0)
    longjmp(there, 1);  //~ use-after-scope
  return 0;
}
