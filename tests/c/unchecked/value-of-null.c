// The same where it does depend on it.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

int main(void) {
  unsigned char *p = calloc(1, 1);
  int read = *p;
  assert(read == 0);
  free(p);
  return 0;
}
