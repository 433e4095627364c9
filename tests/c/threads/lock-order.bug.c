//@ verdict: violation
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);  //~ deadlock
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void *other(void *arg) {
  both(&a, &b);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  both(&b, &a);
  pthread_join(t, 0);
  return 0;
}
