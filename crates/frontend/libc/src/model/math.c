/* Transcendental functions in the modelled environment: some number in the function's range, as an input; the exact
 * result where the argument is known. A replay computes the function: a finding that needs another number is not
 * confirmed and not shown.
 * direction: exact at known arguments; more elsewhere, but a run is exact */
#define _GNU_SOURCE
#include "model.h"
#include <math.h>

static double between(double low, double high) {
  double value = __blitz_input_double("math");
  __blitz_assume(value >= low && value <= high);
  return value;
}

static const double HALF_PI = 1.5707963267948966, PI = 3.141592653589793;

/* The sign of the result is that of the argument, and 0 goes to 0. */
static double odd(double x, double high) {
  if (x == 0 || __builtin_isnan(x))
    return x;
  return __builtin_copysign(between(0, high), x);
}

static double logarithm(double x, double high) {
  if (__builtin_isnan(x))
    return x;
  if (x < 0) {
    errno = EDOM;
    return __builtin_nan("");
  }
  if (x == 0) {
    errno = ERANGE;
    return -__builtin_inf();
  }
  if (x == 1)
    return 0;
  if (__builtin_isinf(x))
    return x;
  return x > 1 ? between(0, high) : -between(0, high * 1.05);
}

static double exponential(double x) {
  if (__builtin_isnan(x))
    return x;
  if (x == 0)
    return 1;
  double value = x > 0 ? between(1, __builtin_inf()) : between(0, 1);
  if (__builtin_isinf(value) && !__builtin_isinf(x))
    errno = ERANGE;
  return value;
}

static double circular(double x) {
  if (__builtin_isnan(x))
    return x;
  if (!__builtin_isfinite(x)) {
    errno = EDOM;
    return __builtin_nan("");
  }
  return between(-1, 1);
}

static double inverse(double x, double low, double high) {
  if (__builtin_isnan(x))
    return x;
  if (x < -1 || x > 1) {
    errno = EDOM;
    return __builtin_nan("");
  }
  return between(low, high);
}

static double guess1(enum blitz_math1 op, double x) {
  double infinity = __builtin_inf();
  switch (op) {
  case MATH_SIN: return x == 0 ? x : circular(x);
  case MATH_COS: return x == 0 ? 1 : circular(x);
  case MATH_TAN: return __builtin_isinf(x) ? __builtin_nan("") : x == 0 ? x : between(-1e17, 1e17);
  case MATH_ASIN: return x == 0 ? x : inverse(x, -HALF_PI, HALF_PI);
  case MATH_ACOS: return x == 1 ? 0 : inverse(x, 0, PI);
  case MATH_ATAN: return odd(x, HALF_PI);
  case MATH_SINH: case MATH_ASINH: case MATH_CBRT: return odd(x, infinity);
  case MATH_TANH: case MATH_ERF: return odd(x, 1);
  case MATH_COSH: return x == 0 ? 1 : __builtin_isnan(x) ? x : between(1, infinity);
  case MATH_ERFC: return x == 0 ? 1 : __builtin_isnan(x) ? x : between(0, 2);
  case MATH_EXP: case MATH_EXP2: case MATH_EXP10: return exponential(x);
  case MATH_EXPM1: return x == 0 ? x : x > 0 ? between(0, infinity) : __builtin_isnan(x) ? x : between(-1, 0);
  case MATH_LOG: return logarithm(x, 709.79);
  case MATH_LOG2: return logarithm(x, 1024);
  case MATH_LOG10: return logarithm(x, 308.26);
  case MATH_LOG1P: return logarithm(1 + x, 709.79);
  case MATH_ACOSH: return x < 1 ? __builtin_nan("") : x == 1 ? 0 : __builtin_isnan(x) ? x : between(0, 711);
  case MATH_ATANH: return x < -1 || x > 1 ? __builtin_nan("") : odd(x, infinity);
  case MATH_TGAMMA:
    if (x < 0 && __builtin_trunc(x) == x)
      return __builtin_nan("");
    return __builtin_isnan(x) ? x : between(-infinity, infinity);
  case MATH_LGAMMA: return __builtin_isnan(x) ? x : between(-infinity, infinity);
  case MATH_J0: case MATH_J1: return __builtin_isnan(x) ? x : between(-1, 1);
  case MATH_Y0: case MATH_Y1: return __builtin_isnan(x) ? x : x < 0 ? __builtin_nan("") : x == 0 ? -infinity : between(-infinity, 1);
  }
  return x;
}

/* errno where an argument has no value, a value no number, or a number is too small. */
static void note_error(enum blitz_math1 op, double x, double value) {
  int vanishes = op == MATH_EXP || op == MATH_EXP2 || op == MATH_EXP10 || op == MATH_ERFC || op == MATH_TGAMMA;
  if (__builtin_isnan(x))
    return;
  if (__builtin_isnan(value))
    errno = EDOM;
  else if (!__builtin_isinf(x) && (__builtin_isinf(value) || (value == 0 && vanishes)))
    errno = ERANGE;
}

double __blitz_math1(enum blitz_math1 op, double x) {
  double value = guess1(op, x);
  __blitz_assume(__blitz_math_is(op, x, 0, value));
  note_error(op, x, value);
  return value;
}

static double power(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (__builtin_isnan(x) || __builtin_isnan(y))
    return x + y;
  if (y == 1)
    return x;
  if (y == 2)
    return x * x;
  if (x < 0 && __builtin_trunc(y) != y) {
    errno = EDOM;
    return __builtin_nan("");
  }
  double size = between(0, __builtin_inf());
  return x < 0 && fmod(y, 2) != 0 ? -size : size;
}

static double guess2(enum blitz_math2 op, double x, double y) {
  switch (op) {
  case MATH_POW: return power(x, y);
  case MATH_ATAN2: return __builtin_isnan(x) || __builtin_isnan(y) ? x + y : __builtin_copysign(between(0, PI), x);
  case MATH_FMOD: return fmod(x, y);
  case MATH_HYPOT: return x == 0 ? __builtin_fabs(y) : y == 0 ? __builtin_fabs(x) : between(__builtin_fmax(__builtin_fabs(x), __builtin_fabs(y)), __builtin_inf());
  case MATH_JN: return between(-1, 1);
  case MATH_YN: return between(-__builtin_inf(), 1);
  }
  return x;
}

double __blitz_math2(enum blitz_math2 op, double x, double y) {
  double value = guess2(op, x, y);
  __blitz_assume(__blitz_math_is(100 + op, x, y, value));
  return value;
}
