//@ verdict: safe
#include <assert.h>
#include <pthread.h>

/* A queue of one place. A consumer that was woken has to look again: another one may have been faster. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;

static void *consume(void *arg) {
  pthread_mutex_lock(&lock);
  while (count == 0)
    pthread_cond_wait(&filled, &lock);
  assert(count > 0);
  count--;
  pthread_mutex_unlock(&lock);
  return 0;
}

static void *produce(void *arg) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, consume, 0);
  produce(0);
  pthread_join(t, 0);
  return 0;
}
