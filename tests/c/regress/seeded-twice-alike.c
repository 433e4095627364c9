//@ verdict: unknown
// Two seeds that are equal give equal numbers. Making the inputs of a run smaller took one of the seeds for known, and any number came after the other:
// a violation that does not happen. What comes after an open seed that is not the first one is not known.
#include <assert.h>
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned seed = __VERIFIER_nondet_uint();
  srand(seed);
  int first = rand();
  srand(seed);
  assert(first == rand());
  return 0;
}
