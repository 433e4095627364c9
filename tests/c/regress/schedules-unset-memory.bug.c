//@ verdict: violation
//@ checks: assertion
//@ run: exit
//@ native: none
// Memory that nothing was stored in may hold anything where reading it is not what is looked for: one value of it proves nothing.
#include <assert.h>
#include <pthread.h>

static void *look(void *arg) {
  int *values = arg;
  assert(values[1] != 5);  //~ assertion
  return 0;
}

int main(void) {
  int values[2];
  values[0] = 1;
  pthread_t t;
  if (pthread_create(&t, 0, look, values)) return 1;
  pthread_join(t, 0);
  return 0;
}
