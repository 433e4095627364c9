//@ verdict: violation
//@ checks: assertion
//@ unwind: 3
//@ inputs: 2,224,63
// A sum is at least its last summand, unless it is kept in a byte: with two summands it wraps around.
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar(), last = 0;
  unsigned char sum = 0;
  if (n == 0)
    return 0;
  for (unsigned i = 0; i < n; i++) {
    last = __VERIFIER_nondet_uchar();
    sum += last;
  }
  assert(sum >= last);  //~ assertion
  return 0;
}
