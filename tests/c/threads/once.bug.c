//@ verdict: violation
#include <assert.h>
#include <pthread.h>

/* What is done once is done before anybody goes on. */
static pthread_once_t once = PTHREAD_ONCE_INIT, twice = PTHREAD_ONCE_INIT;
static int value;

static void init(void) { value = value + 1; }  //~ data-race

static void *use(void *arg) {
  pthread_once(arg, init);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, use, &once);
  use(&twice);
  pthread_join(t, 0);
  assert(value == 1);  //~ assertion
  return 0;
}
