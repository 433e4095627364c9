/* Exact conversions between decimal and binary numbers, for texts and values that are known: plain arithmetic on long numbers.
 *
 * What is open never gets here: its loops depend on the data.
 * direction: exact */
#define _GNU_SOURCE
#include "decimal.h"
#include <string.h>

/* Long numbers of 32-bit words, the lowest first. 800 digits times 10^1145 need 3,900 bits. */
enum { WORDS = 160 };
struct big {
  int n;
  uint32_t w[WORDS];
};

static void times(struct big *b, uint32_t factor, uint32_t carry) {
  for (int i = 0; i < b->n; i++) {
    uint64_t v = (uint64_t)b->w[i] * factor + carry;
    b->w[i] = (uint32_t)v;
    carry = (uint32_t)(v >> 32);
  }
  if (carry != 0)
    b->w[b->n++] = carry;
}

static void times_power(struct big *b, uint32_t base, uint32_t chunk, int per_chunk, int e) {
  for (; e >= per_chunk; e -= per_chunk)
    times(b, chunk, 0);
  for (; e > 0; e--)
    times(b, base, 0);
}

static int bits_of(const struct big *b) { return b->n == 0 ? 0 : 32 * b->n - __builtin_clz(b->w[b->n - 1]); }

static void shift(struct big *b, int by) {
  int words = by / 32, rest = by % 32;
  if (b->n == 0)
    return;
  times(b, (uint32_t)1 << rest, 0);
  if (words != 0) {
    for (int i = b->n - 1; i >= 0; i--)
      b->w[i + words] = b->w[i];
    memset(b->w, 0, (size_t)words * sizeof b->w[0]);
    b->n += words;
  }
}

static int compare(const struct big *a, const struct big *b) {
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (int i = a->n - 1; i >= 0; i--)
    if (a->w[i] != b->w[i])
      return a->w[i] < b->w[i] ? -1 : 1;
  return 0;
}

static void subtract(struct big *a, const struct big *b) {
  uint64_t borrow = 0;
  for (int i = 0; i < a->n; i++) {
    uint64_t v = (uint64_t)a->w[i] - (i < b->n ? b->w[i] : 0) - borrow;
    a->w[i] = (uint32_t)v;
    borrow = v >> 63;
  }
  while (a->n > 0 && a->w[a->n - 1] == 0)
    a->n--;
}

/* The first 66 bits of a long number, how many bits were left out, and whether any of them was set. */
static struct binary leading(const struct big *b) {
  struct binary out = {0};
  int drop = bits_of(b) - 66;
  for (int i = bits_of(b) - 1; i >= 0 && i >= drop; i--)
    out.mantissa = out.mantissa << 1 | (b->w[i / 32] >> (i % 32) & 1);
  out.exponent = drop > 0 ? drop : 0;
  for (int i = 0; i < drop; i++)
    out.sticky |= b->w[i / 32] >> (i % 32) & 1;
  return out;
}

/* numerator / denominator to 66 bits: the denominator is moved to the top, then one bit at a time. */
static struct binary quotient(struct big *numerator, struct big *denominator) {
  struct binary out = {0};
  int e = bits_of(numerator) - bits_of(denominator);
  if (e > 0)
    shift(denominator, e);
  else
    shift(numerator, -e);
  for (int i = 0; i < 66; i++) {
    out.mantissa <<= 1;
    if (compare(numerator, denominator) >= 0) {
      subtract(numerator, denominator);
      out.mantissa |= 1;
    }
    shift(numerator, 1);
  }
  out.exponent = e - 65;
  out.sticky = numerator->n != 0;
  return out;
}

struct binary __blitz_to_binary(const char *digits, size_t n, int e10) {
  static struct big number, power;
  number.n = power.n = 0;
  for (size_t i = 0; i < n; i++) {
    if (number.n == 0 && digits[i] != '0')
      number.w[number.n++] = (uint32_t)(digits[i] - '0');
    else
      times(&number, 10, (uint32_t)(digits[i] - '0'));
  }
  if (number.n == 0)
    return (struct binary){0};
  if (e10 >= 0) {
    times_power(&number, 10, 1000000000u, 9, e10);
    return leading(&number);
  }
  power.w[power.n++] = 1;
  times_power(&power, 10, 1000000000u, 9, -e10);
  return quotient(&number, &power);
}

/* Rounds to `precision` bits, the last of them not below 2^least; ties to even. */
struct binary __blitz_round_binary(struct binary b, int precision, int least) {
  int bits = 0;
  for (wide m = b.mantissa; m != 0; m >>= 1)
    bits++;
  int drop = bits - precision;
  if (b.exponent + drop < least)
    drop = least - b.exponent;
  if (drop <= 0)
    return b;
  if (drop > 100)
    return (struct binary){.sticky = b.sticky || b.mantissa != 0};
  wide unit = (wide)1 << drop, rest = b.mantissa & (unit - 1), half = unit >> 1;
  struct binary out = {.mantissa = b.mantissa >> drop, .exponent = b.exponent + drop, .sticky = b.sticky || rest != 0};
  if (rest > half || (rest == half && (b.sticky || (out.mantissa & 1) != 0)))
    out.mantissa++;
  return out;
}

/* The decimal digits of mantissa * 2^e: those of mantissa * 5^-e where e is negative. */
void __blitz_to_decimal(uint64_t mantissa, int e, struct decimal *out) {
  static uint32_t limbs[100]; /* of nine digits */
  int n = 0, shifted = e < 0 ? -e : e;
  for (; mantissa != 0; mantissa /= 1000000000u)
    limbs[n++] = (uint32_t)(mantissa % 1000000000u);
  while (shifted > 0) {
    int step = shifted < 12 ? shifted : 12;
    uint64_t factor = 1, carry = 0;
    for (int i = 0; i < step; i++)
      factor *= e < 0 ? 5 : 2;
    for (int i = 0; i < n; i++) {
      uint64_t v = limbs[i] * factor + carry;
      limbs[i] = (uint32_t)(v % 1000000000u);
      carry = v / 1000000000u;
    }
    if (carry != 0)
      limbs[n++] = (uint32_t)carry;
    shifted -= step;
  }
  out->count = 0;
  for (int i = n - 1; i >= 0; i--) {
    uint32_t power = 100000000u;
    for (int j = 0; j < 9; j++, power /= 10) {
      char digit = (char)('0' + limbs[i] / power % 10);
      if (out->count != 0 || digit != '0')
        out->digits[out->count++] = digit;
    }
  }
  out->exponent = out->count - 1 + (e < 0 ? e : 0);
}

/* Keeps the first n digits, rounded to nearest, ties to even; what is kept may become none. */
void __blitz_round_decimal(struct decimal *d, int n) {
  if (n >= d->count)
    return;
  if (n < 0) {
    d->count = 0;
    return;
  }
  int up = d->digits[n] > '5', rest = 0;
  if (d->digits[n] == '5') {
    for (int i = n + 1; i < d->count; i++)
      rest |= d->digits[i] != '0';
    up = rest || (n > 0 && (d->digits[n - 1] & 1));
  }
  d->count = n;
  if (!up)
    return;
  while (n > 0 && d->digits[n - 1] == '9')
    d->digits[--n] = '0';
  if (n > 0) {
    d->digits[n - 1]++;
    return;
  }
  /* All were nines: one digit more in front, as many after the point. */
  for (int i = d->count; i > 0; i--)
    d->digits[i] = d->digits[i - 1];
  d->digits[0] = '1';
  d->count++;
  d->exponent++;
}
