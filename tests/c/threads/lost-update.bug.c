//@ verdict: violation
//@ checks: assertion,deadlock
#include <assert.h>
#include <pthread.h>

/* Both add one; under different locks one of the two may be lost. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, another = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg) {
  pthread_mutex_t *held = arg;
  pthread_mutex_lock(held);
  count++;
  pthread_mutex_unlock(held);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, &lock);
  add(&another);
  pthread_join(t, 0);
  assert(count == 2);  //~ assertion
  return 0;
}
