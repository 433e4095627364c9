// With checks of pointers switched off a read through a null pointer gave 0 and the program went on: `safe`. What comes behind it nobody knows; a
// driver with a bug was called safe by it.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>

struct list {
  int value;
  struct list *next;
};

int main(void) {
  struct list last = {1, 0}, first = {2, &last};
  struct list *next = last.next;
  assert(next->value <= 1);
  return first.value == 2 ? 0 : 1;
}
