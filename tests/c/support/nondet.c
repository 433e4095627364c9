// What a native build of a test program takes its inputs from: the numbers in BLITZ_INPUTS, in order, then zeros.
#include <stdlib.h>

static const char *rest;

static long long next(void) {
  char *end;
  if (!rest)
    rest = getenv("BLITZ_INPUTS");
  if (!rest || !*rest)
    return 0;
  long long value = strtoll(rest, &end, 0);
  rest = *end ? end + 1 : end;
  return value;
}

int __VERIFIER_nondet_int(void) { return (int)next(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)next(); }
long __VERIFIER_nondet_long(void) { return (long)next(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next(); }
char __VERIFIER_nondet_char(void) { return (char)next(); }

void __VERIFIER_assume(int condition) {
  if (!condition)
    _Exit(0);
}
