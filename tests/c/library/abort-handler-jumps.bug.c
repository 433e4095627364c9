//@ verdict: violation
// A handler of SIGABRT may jump away: the program goes on.
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static jmp_buf back;
static void handler(int number) { longjmp(back, 3); }
int main(void) {
  int from = setjmp(back);
  if (from == 0) {
    signal(SIGABRT, handler);
    abort();
  }
  assert(from == 4);  //~ assertion
  return 0;
}
