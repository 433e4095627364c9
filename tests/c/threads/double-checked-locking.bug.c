//@ verdict: violation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* The flag that is looked at without the lock has to be atomic. */
typedef int plain_int;
static plain_int ready;
static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  if (!ready) {  //~ data-race
    pthread_mutex_lock(&lock);
    if (!ready) {
      value = 42;  //~ data-race
      ready = 1;  //~ data-race
    }
    pthread_mutex_unlock(&lock);
  }
  return value;  //~ data-race
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
