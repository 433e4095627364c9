//@ verdict: violation
// Of zeros with different signs C lets either be the smaller one, and compilers and libraries differ: the negative one was.
#include <assert.h>
#include <math.h>

int main(void) {
  volatile double zero = 0.0;
  double least = fmin(zero, -zero);
  assert(least == 0);
  assert(signbit(least) != 0);  //~ assertion
  return 0;
}
