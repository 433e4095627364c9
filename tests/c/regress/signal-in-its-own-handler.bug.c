// A signal that a handler raises inside of itself was delivered at once; it waits until the handler is over.
//@ verdict: violation
#include <assert.h>
#include <signal.h>

static volatile int depth, deepest, runs;

static void handler(int signal) {
  depth++;
  if (depth > deepest)
    deepest = depth;
  if (++runs < 3)
    raise(signal);
  depth--;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGFPE, &action, 0);
  raise(SIGFPE);
  assert(runs == 3);
  assert(deepest == 1);  //~ assertion
  return 0;
}
