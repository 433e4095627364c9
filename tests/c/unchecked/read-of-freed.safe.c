// What is read from freed memory is any value; a write to it may change anything.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

static int n;

int main(void) {
  int *p = malloc(4), *q = malloc(4);
  if (q == NULL)
    return 0;
  if (p == NULL)
    free(q);
  n = *q > 3;
  assert(n <= 1);
  if (p != NULL)
    free(q);
  free(p);
  return 0;
}
