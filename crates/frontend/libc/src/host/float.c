/* Text of floating-point numbers, by the host. */
#define _GNU_SOURCE
#include "libc.h"

size_t __blitz_format_float(char *buf, size_t size, const char *spec, const void *value, int is_long_double) {
  return (size_t)__blitz_host(HOST_FORMAT_FLOAT, (long)buf, (long)size, (long)spec, (long)value, is_long_double, 0);
}
