/* Text of floating-point numbers in the modelled environment. */
#define _GNU_SOURCE
#include "model.h"

size_t __blitz_format_float(char *buf, size_t size, const char *spec, const void *value, int is_long_double) {
  __blitz_unsupported("text of a floating-point number");
}
