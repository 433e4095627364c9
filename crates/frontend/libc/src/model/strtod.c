/* Floating-point numbers from text in the modelled environment: exact for up to 15 digits and small exponents, else
 * perhaps off in the last bit. */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

/* What was read: mantissa * base^exponent. */
struct number {
  uint64_t mantissa;
  int exponent, digits; /* digits seen at all */
};

static unsigned digit_value(char c) {
  unsigned letter = ((unsigned char)c | 32u) - 'a', digit = (unsigned char)c - (unsigned)'0';
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 99;
}

/* Digits with at most one point; those that no longer fit only move the point. */
static const char *read_digits(const char *p, unsigned base, struct number *out) {
  int point = 0;
  for (unsigned i = 0;; i++, p++) {
    CUT(i, 26, "a number of more than 26 characters");
    if (*p == '.' && !point) {
      point = 1;
      continue;
    }
    unsigned d = digit_value(*p);
    if (d >= base)
      return p;
    out->digits++;
    if (out->mantissa <= (UINT64_MAX - 15) / base) {
      out->mantissa = out->mantissa * base + d;
      out->exponent -= point;
    } else {
      out->exponent += !point;
    }
  }
}

/* The exponent after 'e' or 'p', if there is one. */
static const char *read_exponent(const char *p, char letter, int *exponent) {
  if ((*p | 32) != letter)
    return p;
  const char *q = p + 1;
  int negative = *q == '-', value = 0;
  if (*q == '-' || *q == '+')
    q++;
  if (*q < '0' || *q > '9')
    return p;
  for (unsigned i = 0; *q >= '0' && *q <= '9'; i++, q++) {
    CUT(i, 6, "an exponent of more than 6 digits");
    value = value < 100000 ? value * 10 + (*q - '0') : value;
  }
  *exponent = negative ? -value : value;
  return q;
}

static double scale10(double v, int e) {
  if (v == 0)
    return 0;
  if (e > 308 || e < -345) {
    return e > 0 ? __builtin_inf() : 0;
  }
  if (e < -308) {
    v /= 1e308;
    e += 308;
  }
  return e >= 0 ? v * __blitz_pow10[e] : v / __blitz_pow10[-e];
}

static double scale2(double v, int e) {
  int step = e > 0 ? 512 : -512;
  for (int i = 0; i < 5 && (e > 512 || e < -512); i++, e -= step)
    v *= e > 0 ? 0x1p512 : 0x1p-512;
  if (e > 512 || e < -512)
    return e > 0 && v != 0 ? __builtin_inf() : 0;
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return v * power;
}

/* Whether the text begins with the word, letters of either case. */
static int has_word(const char *p, const char *word) {
  for (; *word != 0; p++, word++)
    if ((*p | 32) != *word)
      return 0;
  return 1;
}

static const char *read_value(const char *p, double *out) {
  struct number n = {0};
  int e = 0;
  if (has_word(p, "inf")) {
    *out = __builtin_inf();
    return has_word(p, "infinity") ? p + 8 : p + 3;
  }
  if (has_word(p, "nan")) {
    *out = __builtin_nan("");
    return p + 3;
  }
  int hex = p[0] == '0' && (p[1] | 32) == 'x' && (digit_value(p[2]) < 16 || (p[2] == '.' && digit_value(p[3]) < 16));
  const char *end = read_digits(hex ? p + 2 : p, hex ? 16 : 10, &n);
  if (n.digits == 0)
    return NULL;
  end = read_exponent(end, hex ? 'p' : 'e', &e);
  *out = hex ? scale2((double)n.mantissa, n.exponent * 4 + e) : scale10((double)n.mantissa, n.exponent + e);
  if (n.mantissa != 0 && (__builtin_isinf(*out) || *out == 0))
    errno = ERANGE;
  return end;
}

size_t __blitz_parse_float(const char *s, void *out, int kind) {
  const char *p = s;
  __blitz_check_string(s);
  for (unsigned open = 0; *p == ' ' || (*p >= '\t' && *p <= '\r'); p++) {
    CUT(open, 2, "a number after more than 2 blanks");
    open += (unsigned)__blitz_open((size_t)*p);
  }
  int negative = *p == '-';
  if (*p == '-' || *p == '+')
    p++;
  double value = 0;
  const char *end = read_value(p, &value);
  if (negative)
    value = -value;
  if (end == NULL)
    value = 0;
  if (kind == 0)
    *(float *)out = (float)value;
  else if (kind == 1)
    *(double *)out = value;
  else
    *(long double *)out = value;
  return end == NULL ? 0 : (size_t)(end - s);
}
