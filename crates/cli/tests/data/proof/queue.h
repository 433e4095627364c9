#ifndef QUEUE_H
#define QUEUE_H
#include <stddef.h>

struct queue {
  int *items;
  size_t capacity, length;
};

int queue_push(struct queue *q, int item);
int queue_sum(const struct queue *q);
void queue_log(const char *what);
#endif
