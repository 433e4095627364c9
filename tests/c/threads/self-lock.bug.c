//@ verdict: violation
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *twice(void *arg) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);  //~ deadlock
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
  pthread_mutex_init(&lock, &attr);
  pthread_create(&t, 0, twice, 0);
  pthread_join(t, 0);
  return 0;
}
