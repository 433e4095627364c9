// The check of the read is left out, since the same place was written before. It was not checked either.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

static int other;

int main(void) {
  int *p = malloc(4);
  *p = 0;
  other = 1;
  assert(*p == 0);
  free(p);
  return 0;
}
