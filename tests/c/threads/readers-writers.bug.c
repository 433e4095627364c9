//@ verdict: violation
#include <assert.h>
#include <pthread.h>

/* The writer has to keep readers out. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *read_both(void *arg) {
  pthread_rwlock_rdlock(&lock);
  assert(first == second);  //~ data-race
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, read_both, 0);
  pthread_rwlock_rdlock(&lock);
  first = 1;  //~ data-race
  second = 1;  //~ data-race
  pthread_rwlock_unlock(&lock);
  pthread_join(t, 0);
  return 0;
}
