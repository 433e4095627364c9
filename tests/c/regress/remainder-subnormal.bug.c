//@ verdict: violation
// Half of the smallest divisor is 0, which made a tie of a remainder of 0; large quotients lost their last bits.
#include <assert.h>
#include <math.h>

int main(void) {
  double least = 0x1p-1074;
  int q = 0;
  assert(remainder(3 * least, least) != 0);  //~ assertion
  assert(remainder(5.0, 2.0) == 1.0 && remainder(7.0, 2.0) == -1.0);
  assert(remainderl(0x1.8p63L + 1.0L, 0x1p63L) == -0x1p62L + 1.0L);
  assert(remquo(0x1.23456789abcdfp80, 3.0, &q) == 1.0 && (q & 7) == 5);
  assert(__builtin_powi(2.0, 10) == 1024.0 && __builtin_powi(4.0, -2) == 0.0625);
  return 0;
}
