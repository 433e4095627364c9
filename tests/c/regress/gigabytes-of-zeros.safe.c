//@ verdict: safe
//@ inputs: 1499999999
// Allocations above 8 GB always failed in the model, so what followed them was never looked at: this was `safe`. And a run in the
// interpreter wrote every byte that `calloc` clears.
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  double *p = calloc(1500000000u, sizeof *p);
  if (p == NULL)
    return 0;
  if (n < 1500000000u)
    p[n] = 1;
  free(p);
  return 0;
}
