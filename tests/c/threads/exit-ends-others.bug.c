//@ verdict: violation
// The program ends without waiting for its thread, which runs until then.
#include <assert.h>
#include <pthread.h>

static int last, value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *arg) {
  pthread_mutex_lock(&lock);
  assert(value == 0); //~ assertion
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&lock);
  pthread_create(&t, NULL, look, NULL);
  value = 1;
  pthread_mutex_unlock(&lock);
  last = 1;
  return 0;
}
