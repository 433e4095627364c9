//@ verdict: violation
#include <assert.h>
#define SIZE 4

struct ring {
  int data[SIZE];
  unsigned head, tail;
};

static int put(struct ring *r, int value) {
  unsigned next = (r->head + 1) % (SIZE - 1);
  if (next == r->tail)
    return 0;
  r->data[r->head] = value;
  r->head = next;
  return 1;
}

static int get(struct ring *r) {
  int value = r->data[r->tail];
  r->tail = (r->tail + 1) % SIZE;
  return value;
}

int main(void) {
  struct ring r = {{0}, 0, 0};
  int sum = 0;
  for (int i = 1; i <= 3; i++)
    put(&r, i);
  for (int i = 1; i <= 3; i++)
    sum += get(&r);
  assert(sum == 6);  //~ assertion
  return 0;
}
