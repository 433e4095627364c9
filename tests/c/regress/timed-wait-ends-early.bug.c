//@ verdict: violation
// A wait with a time limit may end without a signal and before the limit, as any wait on a condition: was `safe`.
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static void *send(void *p) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  return p;
}
int main(void) {
  pthread_t t;
  struct timespec until = {2000000000, 0};
  int code = 0;
  pthread_create(&t, 0, send, 0);
  pthread_mutex_lock(&lock);
  if (!ready && code == 0)
    code = pthread_cond_timedwait(&cond, &lock, &until);
  if (code == 0)
    assert(ready);  //~ assertion
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
  return 0;
}
