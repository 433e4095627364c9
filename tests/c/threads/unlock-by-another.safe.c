//@ verdict: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *let_go(void *arg) {
  if (pthread_mutex_trylock(&lock) == 0)
    pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&lock);
  pthread_create(&t, 0, let_go, 0);
  pthread_join(t, 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
