//@ verdict: safe
// Locks were always free.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  int result = pthread_mutex_trylock(&mutex);
  assert(result == EBUSY);
  return 0;
}
