// A pointer that is read through a null pointer may be any variable's address: a write through it may change that one.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

struct list {
  struct list *next;
  int value;
};
static struct list last = {NULL, 1};

int main(void) {
  struct list *first = calloc(1, sizeof *first), other = {NULL, 0};
  if (first != NULL)
    first->next = &other;
  struct list *second = first->next;
  if (first) second->value = 2;
  assert(last.value == 1);
  free(first);
  return 0;
}
