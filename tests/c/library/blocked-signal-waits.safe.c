//@ verdict: safe
// Masks were ignored: a blocked signal was delivered at once.
#include <assert.h>
#include <signal.h>
static int seen;
static void handler(int number) { seen++; }
int main(void) {
  sigset_t set;
  signal(SIGFPE, handler);
  sigemptyset(&set);
  sigaddset(&set, SIGFPE);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGFPE);
  raise(SIGFPE);
  assert(seen == 0);
  sigprocmask(SIG_UNBLOCK, &set, 0);
  assert(seen == 1);
  return 0;
}
