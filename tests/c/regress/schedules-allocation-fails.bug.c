//@ verdict: violation
//@ checks: null-deref
//@ run: exit
// The allocation fails in some executions only: these are schedules' business, too.
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *put(void *arg) {
  *shared = 1;  //~ null-deref
  return arg;
}

int main(void) {
  shared = malloc(sizeof *shared);
  if (shared == (int *)1) return 1;
  pthread_t t;
  if (pthread_create(&t, 0, put, 0)) return 1;
  pthread_join(t, 0);
  free(shared);
  return 0;
}
