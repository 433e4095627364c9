/* Text of floating-point numbers, by the host.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"

size_t __blitz_format_float(char *buf, size_t size, const char *spec, const void *value, int is_long_double) {
  return (size_t)__blitz_host(HOST_FORMAT_FLOAT, (long)buf, (long)size, (long)spec, (long)value, is_long_double, 0);
}

/* The host says nothing about the range: an infinity or zero that the text does not spell is out of it. */
static int out_of_range(const char *s, size_t n, double value) {
  int digits = 0, nonzero = 0;
  for (size_t i = 0; i < n && (s[i] | 32) != 'e' && (s[i] | 32) != 'p'; i++) {
    digits |= s[i] >= '0' && s[i] <= '9';
    nonzero |= s[i] >= '1' && s[i] <= '9';
  }
  return digits && (__builtin_isinf(value) || (value == 0 && nonzero));
}

size_t __blitz_parse_float(const char *s, void *out, int kind) {
  __blitz_check_string(s);
  size_t n = (size_t)__blitz_host(HOST_PARSE_FLOAT, (long)s, (long)out, kind, 0, 0, 0);
  double value = kind == 0 ? *(float *)out : kind == 1 ? *(double *)out : (double)*(long double *)out;
  if (out_of_range(s, n, value))
    errno = ERANGE;
  return n;
}
