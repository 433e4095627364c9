//@ verdict: violation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Mutual exclusion of two threads: who sees that both want to enter waits, unless it is their turn. */
static atomic_int wants[2], turn, inside;

static void *enter(void *arg) {
  int me = arg != 0, other = 1 - me;
  wants[me] = 0;
  while (wants[other]) {
    if (turn != me) {
      wants[me] = 0;
      while (turn != me)
        ;
      wants[me] = 1;
    }
  }
  inside++;
  assert(inside == 1);  //~ assertion
  inside--;
  turn = other;
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
