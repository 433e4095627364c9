//@ verdict: violation
//@ inputs: -32768
#include <immintrin.h>
int main(void) {
  short x = __VERIFIER_nondet_short();
  __m64 a = _mm_setr_pi16(x, 10, -32767, 32767), b = _mm_set_pi16(1, 1, 10, 1);
  __m64 less = _mm_subs_pi16(a, b), more = _mm_adds_pi16(a, b);
  __VERIFIER_assert((short)_mm_extract_pi16(less, 0) < x);  //~ assertion
  __VERIFIER_assert((short)_mm_extract_pi16(less, 1) == 0 && (short)_mm_extract_pi16(more, 3) == 32767);
  _mm_empty();
  return 0;
}
