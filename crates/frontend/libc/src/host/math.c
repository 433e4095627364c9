/* Functions of the host's mathematics library.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <math.h>

static double with_errno(double result, int domain_error, int finite_arguments) {
  if (domain_error)
    errno = EDOM;
  else if (finite_arguments && __builtin_isinf(result))
    errno = ERANGE;
  return result;
}

double __blitz_math1(enum blitz_math1 op, double x) {
  double result;
  __blitz_host(HOST_MATH1, op, (long)&x, (long)&result, 0, 0, 0);
  return with_errno(result, __builtin_isnan(result) && !__builtin_isnan(x), __builtin_isfinite(x));
}

double __blitz_math2(enum blitz_math2 op, double x, double y) {
  double result;
  __blitz_host(HOST_MATH2, op, (long)&x, (long)&y, (long)&result, 0, 0);
  int arguments = !__builtin_isnan(x) && !__builtin_isnan(y);
  return with_errno(result, __builtin_isnan(result) && arguments, __builtin_isfinite(x) && __builtin_isfinite(y));
}
