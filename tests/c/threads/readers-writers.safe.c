//@ verdict: safe
#include <assert.h>
#include <pthread.h>

/* The writer has to keep readers out. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *read_both(void *arg) {
  pthread_rwlock_rdlock(&lock);
  assert(first == second);
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, read_both, 0);
  pthread_rwlock_wrlock(&lock);
  first = 1;
  second = 1;
  pthread_rwlock_unlock(&lock);
  pthread_join(t, 0);
  return 0;
}
