//@ verdict: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* The number belongs to the thread until it has ended. */
static void *use(void *arg) {
  int *n = arg;
  *n = *n + 1;
  return 0;
}

int main(void) {
  pthread_t t;
  int *n = malloc(sizeof *n), early = 0;
  if (n == 0)
    return 0;
  *n = 1;
  pthread_create(&t, 0, use, n);
  if (early)
    free(n);
  pthread_join(t, 0);
  if (!early)
    free(n);
  return 0;
}
