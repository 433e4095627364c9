// `siglongjmp` did not set the mask that `sigsetjmp` had saved: the signal counted as blocked, a violation that does not happen.
//@ verdict: unknown
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

int main(void) {
  sigjmp_buf start;
  sigset_t set, now;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (sigsetjmp(start, 1) == 0) {
    sigprocmask(SIG_BLOCK, &set, 0);
    siglongjmp(start, 1);
  }
  sigprocmask(SIG_BLOCK, 0, &now);
  assert(!sigismember(&now, SIGUSR1));
  return 0;
}
