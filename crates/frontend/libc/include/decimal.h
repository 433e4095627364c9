/* Exact conversions between decimal and binary numbers (src/model/decimal.c). */
#ifndef BLITZ_DECIMAL_H
#define BLITZ_DECIMAL_H

#include "model.h"

typedef unsigned _BitInt(128) wide;

/* mantissa * 2^exponent, and a little more if sticky. */
struct binary {
  wide mantissa;
  int exponent, sticky;
};

/* Decimal digits without leading zeros; 10^exponent is the place of the first. */
struct decimal {
  int count, exponent;
  char digits[900];
};

/* digits * 10^e10 to at least 64 bits. At most 800 digits, e10 from -1145 on. */
struct binary __blitz_to_binary(const char *digits, size_t n, int e10);
struct binary __blitz_round_binary(struct binary b, int precision, int least);
/* mantissa * 2^e, e from -1140 on, below 2^1030. */
void __blitz_to_decimal(uint64_t mantissa, int e, struct decimal *out);
void __blitz_round_decimal(struct decimal *d, int n);

#endif
