//@ verdict: violation
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* A stack of two cells, as indices from 1 on, without locks. A cell that was taken and put back looks as if nothing had happened, unless
 * the head counts the changes. */
enum { CHANGE = 0, INDEX = 15 };
static atomic_int head = 1, next[3] = {0, 2, 0};
static atomic_int owner[3];

static int pop(void) {
  int old, new;
  do {
    old = head;
    if ((old & INDEX) == 0)
      return 0;
    new = next[old & INDEX] | ((old & ~INDEX) + CHANGE);
  } while (!atomic_compare_exchange_strong(&head, &old, new));
  return old & INDEX;
}

static void push(int cell) {
  int old, new;
  do {
    old = head;
    next[cell] = old & INDEX;
    new = cell | ((old & ~INDEX) + CHANGE);
  } while (!atomic_compare_exchange_strong(&head, &old, new));
}

static void *take_two(void *arg) {
  int a = pop(), b = pop();
  if (b != 0)
    owner[b] = 1;
  if (a != 0)
    push(a);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, take_two, 0);
  pop();
  int last = pop();
  pthread_join(t, 0);
  assert(last == 0 || owner[last] == 0);  //~ assertion
  return 0;
}
