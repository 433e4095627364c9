//@ verdict: violation
#include <assert.h>
#include <pthread.h>

/* Each thread has a count of its own. */
static volatile int count = 5;

static void *add(void *arg) {
  count++;  //~ data-race
  assert(count == 6);  //~ data-race
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  add(0);
  pthread_join(t, 0);
  return 0;
}
