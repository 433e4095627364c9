#include "queue.h"
#include <stdlib.h>

#ifndef CAPACITY
#define CAPACITY 4
#endif

void queue_harness() {
  struct queue q;
  __CPROVER_assume(q.capacity <= CAPACITY && q.length <= q.capacity);
#ifdef ROOM
  __CPROVER_assume(q.length < q.capacity);
#endif
  q.items = malloc(sizeof(int) * q.capacity);
  __CPROVER_assume(q.items != NULL);
  struct queue before = q;
  int item;
  if (queue_push(&q, item)) {
    __CPROVER_assert(q.length == before.length + 1, "one more");
#ifndef ROOM
    __CPROVER_assert(before.capacity < 3 || item != 77, "seventy-seven");
#endif
  } else {
    __CPROVER_assert(q.length == before.capacity, "it was full");
  }
  queue_sum(&q);
}
