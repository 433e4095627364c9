//@ verdict: violation
//@ checks: assertion
// exp(1) was any number above 1 for the engine, and a run that was given such a number confirmed it.
#include <assert.h>
#include <math.h>

int main(void) {
  double e = exp(1.0), l = log(8.0), h = hypot(3, 4);
  assert(e > 2.71 && e < 2.72 && l > 2 && l < 2.1);
  assert(h == 6);  //~ assertion
  return 0;
}
