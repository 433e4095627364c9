// The same where only the pointer that is not null decides.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

int main(void) {
  unsigned char *p = calloc(1, 1);
  int read = *p;
  assert(read == 0 || p == NULL);
  free(p);
  return 0;
}
