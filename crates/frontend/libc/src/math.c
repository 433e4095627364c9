/* <math.h>: what the processor does exactly is a builtin or arithmetic here; the rest comes from __blitz_math1 and
 * __blitz_math2 of the variant. Float and long double versions of those go through double. Absent: floating-point
 * exceptions.
 * direction: exact; results of transcendental functions in other formats than double are more */
#define _GNU_SOURCE
#include "libc.h"
#include <complex.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Exact in every type. */
#define EXACT1(name)                                                                                                   \
  double name(double x) { return __builtin_##name(x); }                                                                \
  float name##f(float x) { return __builtin_##name##f(x); }                                                            \
  long double name##l(long double x) { return __builtin_##name##l(x); }
#define EXACT2(name)                                                                                                   \
  double name(double x, double y) { return __builtin_##name(x, y); }                                                   \
  float name##f(float x, float y) { return __builtin_##name##f(x, y); }                                                \
  long double name##l(long double x, long double y) { return __builtin_##name##l(x, y); }
EXACT1(fabs)
EXACT1(floor)
EXACT1(ceil)
EXACT1(trunc)
EXACT1(rint)
EXACT1(nearbyint)
EXACT1(round)
EXACT2(copysign)

/* Of zeros with different signs C lets either be the larger one. glibc's functions give the second of two equal numbers, but the first for fminl.
 * A call by name becomes `__blitz_fmin`: compilers make code of their own of it, or call the function, so there it is an input which zero comes out;
 * a run gives the first, as clang's code does. */
#define PICK(name, suffix, type, beats)                                                                                \
  type name##suffix(type x, type y) { return y != y ? x : x != x ? y : x beats y ? x : y; }                            \
  type __blitz_##name##suffix(type x, type y) {                                                                        \
    if (__blitz_model && x == y && !__builtin_signbit(x) != !__builtin_signbit(y))                                     \
      return __blitz_input_bool("(second zero) " #name) ? y : x;                                                       \
    return y != y ? x : x != x ? y : y beats x ? y : x;                                                                \
  }
#define EXTREME(name, beats, beats_long)                                                                               \
  PICK(name, , double, beats)                                                                                          \
  PICK(name, f, float, beats)                                                                                          \
  PICK(name, l, long double, beats_long)
EXTREME(fmin, <, <=)
EXTREME(fmax, >, >)

double roundeven(double x) { return __builtin_roundeven(x); }

double sqrt(double x) {
  if (x < 0)
    errno = EDOM;
  return __builtin_elementwise_sqrt(x);
}
float sqrtf(float x) {
  if (x < 0)
    errno = EDOM;
  return __builtin_elementwise_sqrt(x);
}
long double sqrtl(long double x) {
  if (x < 0)
    errno = EDOM;
  return __builtin_elementwise_sqrt(x);
}

double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

/* What strtod makes of nan(tag). */
static void read_nan(const char *tag, void *out, int kind) {
  char text[64] = "nan(";
  size_t n = strlen(tag);
  if (n > sizeof text - 6)
    __blitz_unsupported("nan: a text of more than 58 characters");
  memcpy(text + 4, tag, n);
  text[4 + n] = ')';
  text[5 + n] = 0;
  if (__blitz_parse_float(text, out, kind) != n + 5)
    __blitz_parse_float("nan", out, kind);
}

double nan(const char *tag) {
  double value;
  read_nan(tag, &value, 1);
  return value;
}
float nanf(const char *tag) {
  float value;
  read_nan(tag, &value, 0);
  return value;
}
long double nanl(const char *tag) {
  long double value;
  read_nan(tag, &value, 2);
  return value;
}

/* To integers. */
long lrint(double x) { return (long)__builtin_rint(x); }
long lrintf(float x) { return (long)__builtin_rintf(x); }
long lrintl(long double x) { return (long)__builtin_rintl(x); }
long long llrint(double x) { return (long long)__builtin_rint(x); }
long long llrintf(float x) { return (long long)__builtin_rintf(x); }
long long llrintl(long double x) { return (long long)__builtin_rintl(x); }
long lround(double x) { return (long)__builtin_round(x); }
long lroundf(float x) { return (long)__builtin_roundf(x); }
long lroundl(long double x) { return (long)__builtin_roundl(x); }
long long llround(double x) { return (long long)__builtin_round(x); }
long long llroundf(float x) { return (long long)__builtin_roundf(x); }
long long llroundl(long double x) { return (long long)__builtin_roundl(x); }

/* Parts of a double: sign, 11 bits of exponent, 52 of fraction. */
static uint64_t bits_of(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static double from_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7ff); }
static const uint64_t EXPONENT = (uint64_t)0x7ff << 52;

double frexp(double x, int *exponent) {
  int e = exponent_of(x);
  if (x == 0 || e == 0x7ff) {
    *exponent = 0;
    return x;
  }
  if (e == 0) {
    x *= 0x1p64;
    e = exponent_of(x) - 64;
  }
  *exponent = e - 1022;
  return from_bits((bits_of(x) & ~EXPONENT) | (uint64_t)1022 << 52);
}
float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }

/* Steps of powers that can be represented, the last of which rounds. */
static double scale(double x, int n) {
  if (n > 1023) {
    x *= 0x1p1023;
    n = n - 1023 > 1023 ? 1023 : n - 1023;
    if (n == 1023)
      x *= 0x1p1023;
  }
  if (n < -1022) {
    x *= 0x1p-969;
    n += 969;
    if (n < -1022) {
      x *= 0x1p-969;
      n = n + 969 < -1022 ? -1022 : n + 969;
    }
  }
  return x * from_bits((uint64_t)(n + 1023) << 52);
}
/* errno where a number became none or nothing. */
static void range(int was_number, int is_number) {
  if (was_number && !is_number)
    errno = ERANGE;
}
double ldexp(double x, int n) {
  double y = scale(x, n);
  range(__builtin_isfinite(x) && x != 0, __builtin_isfinite(y) && y != 0);
  return y;
}
double scalbn(double x, int n) { return ldexp(x, n); }
double scalbln(double x, long n) { return ldexp(x, n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n); }
float ldexpf(float x, int n) {
  float y = (float)scale(x, n);
  range(__builtin_isfinite(x) && x != 0, __builtin_isfinite(y) && y != 0);
  return y;
}
float scalbnf(float x, int n) { return ldexpf(x, n); }

double modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}
float modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}
long double modfl(long double x, long double *whole) {
  *whole = __builtin_truncl(x);
  return __builtin_copysignl(__builtin_isinf(x) ? 0 : x - *whole, x);
}

int ilogb(double x) {
  int e;
  if (x == 0 || __builtin_isnan(x))
    return FP_ILOGB0;
  if (__builtin_isinf(x))
    return INT_MAX;
  frexp(x, &e);
  return e - 1;
}
double logb(double x) {
  if (x == 0)
    return -__builtin_inf();
  return __builtin_isfinite(x) ? ilogb(x) : x * x;
}

double nextafter(double x, double y) {
  if (__builtin_isnan(x) || __builtin_isnan(y))
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return __builtin_copysign(0x1p-1074, y);
  uint64_t u = bits_of(x);
  double next = from_bits((x < y) == (x > 0) ? u + 1 : u - 1);
  if (!__builtin_isnormal(next) && !__builtin_isinf(x))
    errno = ERANGE;
  return next;
}
float nextafterf(float x, float y) {
  if (__builtin_isnan(x) || __builtin_isnan(y))
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return __builtin_copysignf(0x1p-149f, y);
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  u = (x < y) == (x > 0) ? u + 1 : u - 1;
  float next;
  memcpy(&next, &u, sizeof u);
  if (!__builtin_isnormal(next) && !__builtin_isinf(x))
    errno = ERANGE;
  return next;
}

double nexttoward(double x, long double y) { return nextafter(x, y > x ? __builtin_inf() : y < x ? -__builtin_inf() : x); }
long double frexpl(long double x, int *exponent) {
  if (x == 0 || !__builtin_isfinite(x)) {
    *exponent = 0;
    return x;
  }
  for (*exponent = 0; __builtin_fabsl(x) >= 0x1p64L; x *= 0x1p-64L)
    *exponent += 64;
  for (; __builtin_fabsl(x) < 0x1p-64L; x *= 0x1p64L)
    *exponent -= 64;
  for (; __builtin_fabsl(x) >= 1; x *= 0.5L)
    ++*exponent;
  for (; __builtin_fabsl(x) < 0.5L; x *= 2)
    --*exponent;
  return x;
}
long double ldexpl(long double x, int n) {
  for (; n > 64 && x != 0 && __builtin_isfinite(x); n -= 64)
    x *= 0x1p64L;
  for (; n < -64 && x != 0; n += 64)
    x *= 0x1p-64L;
  for (; n > 0 && x != 0 && __builtin_isfinite(x); n--)
    x *= 2;
  for (; n < 0 && x != 0; n++)
    x *= 0.5L;
  return x;
}
long double scalbnl(long double x, int n) { return ldexpl(x, n); }
double significand(double x) {
  int e;
  return x == 0 || !__builtin_isfinite(x) ? x : 2 * frexp(x, &e);
}
double scalb(double x, double n) { return ldexp(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

/* Classification, called when the macros are not expanded to builtins. */
int __isnan(double x) { return __builtin_isnan(x); }
int __isnanf(float x) { return __builtin_isnan(x); }
int __isnanl(long double x) { return __builtin_isnan(x); }
int __isinf(double x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinff(float x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinfl(long double x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __finite(double x) { return __builtin_isfinite(x); }
int __finitef(float x) { return __builtin_isfinite(x); }
int __finitel(long double x) { return __builtin_isfinite(x); }
int __signbit(double x) { return __builtin_signbit(x); }
int __signbitf(float x) { return __builtin_signbitf(x); }
int __signbitl(long double x) { return __builtin_signbitl(x); }
int __fpclassify(double x) { return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x); }
int __fpclassifyf(float x) { return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x); }
int __fpclassifyl(long double x) { return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x); }
int finite(double x) { return __builtin_isfinite(x); }
#undef isnan
#undef isinf
int isnan(double x) { return __builtin_isnan(x); }
int isinf(double x) { return __isinf(x); }

/* The remainder is exact, and LLVM has an instruction for it, which clang takes only where errno does not matter. */
#pragma float_control(push)
#pragma float_control(precise, off)
static double rest(double x, double y) { return __builtin_fmod(x, y); }
static float restf(float x, float y) { return __builtin_fmodf(x, y); }
static long double restl(long double x, long double y) { return __builtin_fmodl(x, y); }
#pragma float_control(pop)

double fmod(double x, double y) {
  if (y == 0 || __builtin_isinf(x))
    errno = EDOM;
  return rest(x, y);
}
float fmodf(float x, float y) {
  if (y == 0 || __builtin_isinf(x))
    errno = EDOM;
  return restf(x, y);
}
long double fmodl(long double x, long double y) { return restl(x, y); }

/* By the variant. */
#define MATH1(name, op)                                                                                                \
  double name(double x) { return __blitz_math1(op, x); }                                                               \
  float name##f(float x) {                                                                                             \
    __blitz_more(#name "f: the last bit");                                                                             \
    return (float)__blitz_math1(op, x);                                                                                \
  }                                                                                                                    \
  long double name##l(long double x) {                                                                                 \
    __blitz_more(#name "l: the result is that of " #name);                                                             \
    __blitz_fewer(#name "l: results that are no doubles");                                                             \
    return __blitz_math1(op, (double)x);                                                                               \
  }
#define MATH2(name, op)                                                                                                \
  double name(double x, double y) { return __blitz_math2(op, x, y); }                                                  \
  float name##f(float x, float y) {                                                                                    \
    __blitz_more(#name "f: the last bit");                                                                             \
    return (float)__blitz_math2(op, x, y);                                                                             \
  }                                                                                                                    \
  long double name##l(long double x, long double y) {                                                                  \
    __blitz_more(#name "l: the result is that of " #name);                                                             \
    __blitz_fewer(#name "l: results that are no doubles");                                                             \
    return __blitz_math2(op, (double)x, (double)y);                                                                    \
  }
MATH1(sin, MATH_SIN)
MATH1(cos, MATH_COS)
MATH1(tan, MATH_TAN)
MATH1(asin, MATH_ASIN)
MATH1(acos, MATH_ACOS)
MATH1(atan, MATH_ATAN)
MATH1(sinh, MATH_SINH)
MATH1(cosh, MATH_COSH)
MATH1(tanh, MATH_TANH)
MATH1(asinh, MATH_ASINH)
MATH1(acosh, MATH_ACOSH)
MATH1(atanh, MATH_ATANH)
MATH1(exp, MATH_EXP)
MATH1(exp2, MATH_EXP2)
MATH1(exp10, MATH_EXP10)
MATH1(expm1, MATH_EXPM1)
MATH1(log, MATH_LOG)
MATH1(log2, MATH_LOG2)
MATH1(log10, MATH_LOG10)
MATH1(log1p, MATH_LOG1P)
MATH1(cbrt, MATH_CBRT)
MATH1(tgamma, MATH_TGAMMA)
MATH1(lgamma, MATH_LGAMMA)
MATH1(erf, MATH_ERF)
MATH1(erfc, MATH_ERFC)
MATH1(j0, MATH_J0)
MATH1(j1, MATH_J1)
MATH1(y0, MATH_Y0)
MATH1(y1, MATH_Y1)
MATH2(pow, MATH_POW)
MATH2(atan2, MATH_ATAN2)
MATH2(hypot, MATH_HYPOT)

/* Exact, in each format: what is left of two divisors tells whether the quotient is odd, which decides ties; what is left of
   eight tells the three bits of the quotient that the standard asks for. Each difference below is exact. */
#define REMAINDER(f, type)                                                                                             \
  type remainder##f(type x, type y) {                                                                                  \
    if (y == 0 || __builtin_isinf(x))                                                                                  \
      errno = EDOM;                                                                                                    \
    type size = __builtin_fabs##f(x), divisor = __builtin_fabs##f(y), left = rest##f(size, 2 * divisor);               \
    int odd = left >= divisor;                                                                                         \
    left = odd ? left - divisor : left;                                                                                \
    type missing = divisor - left;                                                                                     \
    type nearest = left > missing || (left == missing && odd) ? -missing : left;                                       \
    return __builtin_signbit(x) ? -nearest : nearest;                                                                  \
  }                                                                                                                    \
  type remquo##f(type x, type y, int *quotient) {                                                                      \
    type nearest = remainder##f(x, y), divisor = __builtin_fabs##f(y);                                                 \
    if (__builtin_isnan(nearest))                                                                                      \
      return nearest;                                                                                                  \
    type left = rest##f(__builtin_fabs##f(x), 8 * divisor);                                                            \
    int n = 0;                                                                                                         \
    for (int step = 4; step > 0; step /= 2)                                                                            \
      if (left >= step * divisor) {                                                                                    \
        left -= step * divisor;                                                                                        \
        n += step;                                                                                                     \
      }                                                                                                                \
    type missing = divisor - left;                                                                                     \
    n += left > missing || (left == missing && n % 2 == 1);                                                            \
    *quotient = __builtin_signbit(x) == __builtin_signbit(y) ? n : -n;                                                 \
    return nearest;                                                                                                    \
  }
REMAINDER(, double)
REMAINDER(f, float)
REMAINDER(l, long double)
double drem(double x, double y) { return remainder(x, y); }
double gamma(double x) { return lgamma(x); }
double pow10(double x) { return exp10(x); }
double jn(int n, double x) { return __blitz_math2(MATH_JN, n, x); }
double yn(int n, double x) { return __blitz_math2(MATH_YN, n, x); }
int signgam;
double lgamma_r(double x, int *sign) {
  *sign = x < 0 && ((long long)__builtin_floor(x) & 1) ? -1 : 1;
  return lgamma(x);
}
/* Both at once, each as precise as by itself. */
void sincos(double x, double *s, double *c) {
  *s = sin(x);
  *c = cos(x);
}
void sincosf(float x, float *s, float *c) {
  *s = sinf(x);
  *c = cosf(x);
}

/* What __builtin_powi is: powers by squaring, as compilers' own libraries have it. */
#define POWI(name, type)                                                                                               \
  type name(type x, int n) {                                                                                           \
    unsigned left = n < 0 ? -(unsigned)n : (unsigned)n;                                                                \
    type result = left % 2 ? x : 1;                                                                                    \
    while (left >>= 1) {                                                                                               \
      x *= x;                                                                                                          \
      if (left % 2)                                                                                                    \
        result *= x;                                                                                                   \
    }                                                                                                                  \
    return n < 0 ? 1 / result : result;                                                                                \
  }
POWI(__blitz_powi, double)
POWI(__blitz_powif, float)
POWI(__blitz_powil, long double)

/* Exceptions are not tracked: to ask for them is refused. */
int feclearexcept(int which) { return 0; }
int feraiseexcept(int which) { return 0; }
int fetestexcept(int which) {
  __blitz_unsupported("floating-point exceptions");
  return 0;
}
