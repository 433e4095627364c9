//@ verdict: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* The flag that is looked at without the lock has to be atomic. */
typedef int plain_int;
static atomic_int ready;
static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  if (!ready) {
    pthread_mutex_lock(&lock);
    if (!ready) {
      value = 42;
      ready = 1;
    }
    pthread_mutex_unlock(&lock);
  }
  return value;
}

static void *use(void *arg) {
  assert(get() == 42);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, use, 0);
  use(0);
  pthread_join(t, 0);
  return 0;
}
