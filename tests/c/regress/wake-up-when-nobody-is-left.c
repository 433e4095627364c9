//@ verdict: bounded
//@ checks: assertion
//@ native: none
// Was `safe`: a wait may end without a signal, but where every thread waited nobody looked at what comes after.
#include <assert.h>
#include <pthread.h>

static int ready, more;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_twice(void *arg) {
  pthread_mutex_lock(&lock);
  if (!ready)
    pthread_cond_wait(&cond, &lock);
  if (!more)
    pthread_cond_wait(&cond, &lock);
  if (!more)
    pthread_cond_wait(&cond, &lock);
  assert(more);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, wait_twice, NULL);
  pthread_join(t, NULL);
  return 0;
}
