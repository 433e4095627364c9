//@ verdict: violation
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *arg) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, hold, 0);
  int early = 1;
  if (!early)
    pthread_join(t, 0);
  pthread_mutex_destroy(&lock);  //~ mutex-misuse
  if (early)
    pthread_join(t, 0);
  return 0;
}
