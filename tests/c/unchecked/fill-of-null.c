// Filling what a failed allocation gives changes nothing.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *p = malloc(8);
  memset(p, 1, 8);
  assert(p[7] == 1);
  free(p);
  return 0;
}
