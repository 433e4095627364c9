//@ verdict: violation
//@ inputs: 1
// The numbers of drand48 and its kin follow from their seed; after an open seed each was any number.
#include <assert.h>
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned seed = __VERIFIER_nondet_uint();
  if (seed > 3)
    return 0;
  srand48((long)seed);
  long first = lrand48();
  assert(first != 89400484 || seed != 1);  //~ assertion
  return 0;
}
