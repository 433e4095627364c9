//@ verdict: safe
#include <assert.h>
#include <pthread.h>

/* The signal may come before the wait: then nobody sends another one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *send(void *arg) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, send, 0);
  pthread_mutex_lock(&lock);
  int known = ready;
  while (!known) {
    pthread_cond_wait(&cond, &lock);
    known = ready;
  }
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
  return 0;
}
