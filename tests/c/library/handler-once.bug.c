//@ verdict: violation
// SA_RESETHAND was ignored.
#include <assert.h>
#include <signal.h>
int main(void) {
  struct sigaction action = {.sa_handler = SIG_IGN, .sa_flags = SA_RESETHAND}, old;
  sigaction(SIGFPE, &action, 0);
  void handler(int);
  action.sa_handler = handler;
  sigaction(SIGFPE, &action, &old);
  assert(old.sa_handler == SIG_IGN);
  raise(SIGFPE);
  sigaction(SIGFPE, 0, &old);
  assert(old.sa_handler == handler);  //~ assertion
  return 0;
}
void handler(int number) {}
