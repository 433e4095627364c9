//@ verdict: safe
//@ checks: data-race,deadlock,double-free,use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* Both may see that nothing is there yet. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, unused = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static int *get(pthread_mutex_t *held) {
  pthread_mutex_lock(held);
  if (shared == 0)
    shared = calloc(1, sizeof *shared);
  int *result = shared;
  pthread_mutex_unlock(held);
  return result;
}

static void *use(void *arg) {
  get(arg);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, use, &lock);
  use(&lock);
  pthread_join(t, 0);
  free(shared);
  return 0;
}
