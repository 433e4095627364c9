//@ verdict: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Lamport's bakery for two: each takes a number above the other's; the lower number goes first. While a number is taken, nobody looks at it. */
static atomic_int choosing[2], number[2], inside;

static void *enter(void *arg) {
  int me = arg != 0, other = 1 - me;
  choosing[me] = 1;
  number[me] = number[other] + 1;
  choosing[me] = 0;
  while (choosing[other])
    ;
  while (number[other] != 0 && (number[other] < number[me] || (number[other] == number[me] && other < me)))
    ;
  inside++;
  assert(inside == 1);
  inside--;
  number[me] = 0;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, enter, &t);
  enter(0);
  pthread_join(t, 0);
  return 0;
}
