//@ verdict: safe
//@ checks: assertion
//@ run: exit
//@ native: none
// With the check of definedness off, what was never set can be anything, and stays what it is.
#include <assert.h>
#include <stdlib.h>

struct pair {
  int a, b;
};

int main(void) {
  int x, y, table[100];
  unsigned i;
  struct pair p, *q = malloc(sizeof *q);
  if (q == NULL || i >= 100)
    return 0;
  int same = x;
  assert(same == x);
  p.a = 1;
  if (x == 3 && y == 4 && table[i] == 5 && table[1] == 6 && p.b == 7 && q->b == 8)
    assert(p.a == 1);  //~ assertion
  free(q);
  return 0;
}
