//@ verdict: violation
// Mutexes that check were plain ones.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  pthread_mutex_lock(&mutex);
  int result = pthread_mutex_lock(&mutex);
  assert(result == 0);  //~ assertion
  return 0;
}
