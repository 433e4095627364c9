//@ verdict: violation
#include <assert.h>
#include <pthread.h>

/* A variable of a function that has returned is gone, whoever knows its address. */
static void *use(void *arg) {
  int *n = arg;
  *n = 1;  //~ use-after-scope
  return 0;
}

static pthread_t start(int wait) {
  int n = 0;
  pthread_t t;
  pthread_create(&t, 0, use, &n);
  if (wait)
    pthread_join(t, 0);
  return t;
}

int main(void) {
  pthread_t t = start(0);
  pthread_join(t, 0);
  return 0;
}
