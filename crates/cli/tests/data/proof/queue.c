#include "queue.h"

static int has_room(const struct queue *q) {
  return q->length < q->capacity;
}

int queue_push(struct queue *q, int item) {
  if (!has_room(q)) {
    queue_log("full");
    return 0;
  }
  q->items[q->length] = item;
  q->length++;
  return 1;
}

int queue_sum(const struct queue *q) {
  int sum = 0;
  for (size_t i = 0; i < q->length; i++)
    sum ^= q->items[i];
  return sum;
}

/* The proof replaces it. */
void queue_log(const char *what) {
  *(char *)what = 0;
}
