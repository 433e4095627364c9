//@ verdict: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Mutual exclusion of two threads: the one that comes second lets the other one go first. */
static atomic_int wants[2], turn, inside;

static void *enter(void *arg) {
  int me = arg != 0, other = 1 - me;
  wants[me] = 1;
  turn = other;
  while (wants[other] && turn == other)
    ;
  inside++;
  assert(inside == 1);
  inside--;
  wants[me] = 0;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, enter, &t);
  enter(0);
  pthread_join(t, 0);
  return 0;
}
