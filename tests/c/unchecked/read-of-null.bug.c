// The allocation may fail, and nobody looks for null pointers: what is read there is any value, which the assertion does not depend on.
//@ verdict: violation
//@ checks: assertion
//@ inputs: 7
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int n = __VERIFIER_nondet_uchar() & 7, *p = malloc(sizeof *p);
  *p = n;
  int read = *p, sum = read > 3 ? n : n + 1;
  assert(sum <= 6 || n == 7 && p == NULL);  //~ assertion
  free(p);
  return 0;
}
