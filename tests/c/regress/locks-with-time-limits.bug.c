//@ verdict: violation
// Locks for readers and writers with a limit of time, a join that does not wait: these had no model, and programs with them were `unknown`.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int n;
static void *add(void *p) {
  struct timespec until = {1, 0};
  if (pthread_rwlock_timedwrlock(&lock, &until) == 0) {
    n++;
    pthread_rwlock_unlock(&lock);
  }
  return p;
}
int main(void) {
  pthread_t t;
  struct timespec until = {1, 0};
  pthread_create(&t, 0, add, 0);
  if (pthread_rwlock_timedrdlock(&lock, &until) == 0) {
    assert(n <= 1);
    pthread_rwlock_unlock(&lock);
  }
  int code = pthread_tryjoin_np(t, 0);
  if (code == EBUSY)
    code = pthread_join(t, 0);
  assert(code == 0 && n == 1);  //~ assertion
  return 0;
}
