//@ verdict: violation
#include <assert.h>
#include <pthread.h>

static pthread_t waited_for;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait(void *arg) {
  pthread_mutex_lock(&lock);
  pthread_t own = pthread_self();
  if (pthread_equal(own, waited_for) == 1)
    pthread_join(waited_for, 0);  //~ deadlock
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_create(&waited_for, 0, wait, 0);
  pthread_mutex_unlock(&lock);
  pthread_exit(0);
}
