//@ verdict: violation
//@ checks: assertion
//@ unwind: 3
//@ inputs: 42
// Counting ones by deleting the lowest: with three bits set for sure, the count can be below eight, which three
// iterations show and two do not.
#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned flags = __VERIFIER_nondet_uint(), left = flags, count = 0;
  while (left != 0) {
    left &= left - 1;
    count++;
  }
  assert((flags & 42) != 42 || count > 7);  //~ assertion
  return 0;
}
