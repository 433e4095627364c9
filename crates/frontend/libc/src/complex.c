/* Complex numbers: the arithmetic that compilers leave to their library, and the plain functions of <complex.h>.
 *
 * Products and quotients are computed as written; the standard's rescue of infinities out of NaNs is there for products only.
 * Absent: the transcendental functions.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <complex.h>
#include <math.h>

#define COMPLEX(type, f, mul, div)                                                                                     \
  type _Complex mul(type a, type b, type c, type d) {                                                                  \
    type _Complex z;                                                                                                   \
    __real__ z = a * c - b * d;                                                                                        \
    __imag__ z = a * d + b * c;                                                                                        \
    if (__builtin_isnan(__real__ z) && __builtin_isnan(__imag__ z))                                                    \
      __blitz_unsupported("a complex product of infinities");                                                          \
    return z;                                                                                                          \
  }                                                                                                                    \
  type _Complex div(type a, type b, type c, type d) {                                                                  \
    type _Complex z;                                                                                                   \
    /* The larger part of the divisor is scaled to about 1, as compilers' libraries do it. */                          \
    int scale = 0;                                                                                                     \
    type size = __builtin_fmax(__builtin_fabs##f(c), __builtin_fabs##f(d));                                            \
    if (!(size > 0) || !__builtin_isfinite(size) || !__builtin_isfinite(a) || !__builtin_isfinite(b))                  \
      __blitz_unsupported("a complex quotient by zero or with infinities");                                            \
    scale = ilogb((double)size);                                                                                       \
    c = scalbn##f(c, -scale);                                                                                          \
    d = scalbn##f(d, -scale);                                                                                          \
    type whole = c * c + d * d;                                                                                        \
    __real__ z = scalbn##f((a * c + b * d) / whole, -scale);                                                           \
    __imag__ z = scalbn##f((b * c - a * d) / whole, -scale);                                                           \
    return z;                                                                                                          \
  }                                                                                                                    \
  type cabs##f(type _Complex z) { return hypot##f(__real__ z, __imag__ z); }                                           \
  type carg##f(type _Complex z) { return atan2##f(__imag__ z, __real__ z); }                                           \
  type creal##f(type _Complex z) { return __real__ z; }                                                                \
  type cimag##f(type _Complex z) { return __imag__ z; }                                                                \
  type _Complex conj##f(type _Complex z) { return ~z; }

COMPLEX(double, , __muldc3, __divdc3)
COMPLEX(float, f, __mulsc3, __divsc3)
COMPLEX(long double, l, __mulxc3, __divxc3)
