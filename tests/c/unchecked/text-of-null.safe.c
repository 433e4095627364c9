// A library function that writes through a null pointer changes nothing.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int n = __VERIFIER_nondet_uchar() & 7;
  char *p = malloc(8);
  strcpy(p, "text");
  strcpy(p, "s");
  assert(n < 8);
  free(p);
  return 0;
}
