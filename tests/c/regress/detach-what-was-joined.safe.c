//@ checks: assertion
//@ verdict: safe
// The handle of a thread that was joined is no thread's: ESRCH, as in glibc. The model gave EINVAL.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static void *run(void *arg) { return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  assert(pthread_detach(t) == ESRCH);
  return 0;
}
