/* Text of floating-point numbers in the modelled environment.
 *
 * Written for symbolic arguments: few branches, no loop that depends on the number, and a length that needs only
 * comparisons. Lengths are exact. Digits are exact for %f below 2^64 with up to 18 digits after the point and for
 * numbers of up to 15 significant digits; beyond, the last digits may differ from glibc's. A long double is taken as
 * a double. */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

enum { MOST = 17 }; /* significant digits that are computed; further ones are '0' */

/* Text under construction; what does not fit is counted only. */
struct text {
  char *p;
  size_t size, n;
};

static void put(struct text *to, const char *s, size_t n) {
  size_t room = to->n < to->size ? to->size - to->n : 0;
  memcpy(to->p + to->n, s, n < room ? n : room);
  to->n += n;
}

static void put_zeros(struct text *to, size_t n) {
  size_t room = to->n < to->size ? to->size - to->n : 0;
  memset(to->p + to->n, '0', n < room ? n : room);
  to->n += n;
}

static void put_char(struct text *to, char c) { put(to, &c, 1); }

/* The conversion: flags and letter of "%+ #.PREC[L]x". */
struct spec {
  int plus, space, alternative, has_precision;
  size_t precision;
  char letter;
};

static struct spec parse_spec(const char *s) {
  struct spec spec = {0};
  for (s++;; s++) {
    if (*s == '+')
      spec.plus = 1;
    else if (*s == ' ')
      spec.space = 1;
    else if (*s == '#')
      spec.alternative = 1;
    else
      break;
  }
  if (*s == '.') {
    spec.has_precision = 1;
    for (s++; *s >= '0' && *s <= '9'; s++)
      spec.precision = spec.precision * 10 + (size_t)(*s - '0');
  }
  if (*s == 'L')
    s++;
  spec.letter = *s;
  return spec;
}

/* The last n decimal digits of v, n fixed by the caller. */
static void digits_of(char *out, uint64_t v, size_t n) {
  for (size_t i = n; i > 0; i--, v /= 10)
    out[i - 1] = (char)('0' + v % 10);
}

static size_t count_digits(uint64_t v) {
  size_t n = 1;
  uint64_t power = 10;
  for (int i = 1; i < 20; i++, power *= 10)
    n += v >= power;
  return n;
}

static const uint64_t POWER[19] = {1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull,
    100000000ull, 1000000000ull, 10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull,
    100000000000000ull, 1000000000000000ull, 10000000000000000ull, 100000000000000000ull, 1000000000000000000ull};

typedef unsigned _BitInt(128) wide;

/* frac * 10^places, rounded to nearest, ties to even; at most 10^places. places <= 18. */
static uint64_t scale_fraction(double frac, size_t places, int odd_before) {
  double scaled = frac * 0x1p64;
  uint64_t bits = (uint64_t)scaled;
  wide product = (wide)bits * POWER[places];
  uint64_t whole = (uint64_t)(product >> 64), rest = (uint64_t)product;
  int sticky = (double)bits != scaled;
  uint64_t half = (uint64_t)1 << 63;
  int odd = places == 0 ? odd_before : (int)(whole & 1);
  if (rest > half || (rest == half && (sticky || odd)))
    whole++;
  return whole;
}

/* |v| below 2^64 with `places` digits after the point. */
static void put_fixed_small(struct text *to, double v, size_t places, int point) {
  size_t exact = places < 18 ? places : 18;
  uint64_t whole = (uint64_t)v;
  double frac = v - (double)whole;
  uint64_t after = scale_fraction(frac, exact, (int)(whole & 1));
  int carry = after >= POWER[exact];
  char digits[20];
  if (carry)
    after = 0;
  whole += (uint64_t)carry;
  digits_of(digits, whole, 20);
  size_t n = count_digits(whole);
  put(to, digits + 20 - n, n);
  if (places > 0 || point)
    put_char(to, '.');
  digits_of(digits, after, 18);
  put(to, digits + 18 - exact, exact);
  put_zeros(to, places - exact);
}

/* The exponent of the leading decimal digit of v > 0. */
static int decimal_exponent(double v) {
  uint64_t bits;
  int extra = 0;
  if (v < 0x1p-1000) {
    v *= 1e200;
    extra = -200;
  }
  memcpy(&bits, &v, sizeof bits);
  int binary = (int)(bits >> 52) - 1023;
  /* log10(2) rounded down: the estimate is right or one too small. */
  int guess = (binary * 1233 - (binary < 0 ? 4095 : 0)) / 4096;
  if (guess >= 0)
    guess += guess < 308 && v >= __blitz_pow10[guess + 1];
  else
    guess += v * __blitz_pow10[-guess - 1] >= 1;
  return guess + extra;
}

static double times_pow10(double v, int e) {
  if (e > 308) {
    v *= 1e308;
    e -= 308;
  }
  if (e < -308) {
    v /= 1e308;
    e += 308;
  }
  return e >= 0 ? v * __blitz_pow10[e] : v / __blitz_pow10[-e];
}

/* The first n (1..MOST) digits of v >= 0 as a number of n digits, and the exponent of the first. */
static uint64_t significant(double v, size_t n, int *exponent) {
  if (v == 0) {
    *exponent = 0;
    return 0;
  }
  int e = decimal_exponent(v);
  int places = (int)n - 1 - e;
  uint64_t whole = (uint64_t)v, m;
  if (places >= 0 && places <= 18 && v < 0x1p63)
    m = whole * POWER[places] + scale_fraction(v - (double)whole, (size_t)places, (int)(whole & 1));
  else
    m = (uint64_t)__builtin_rint(times_pow10(v, places));
  if (m >= POWER[n - 1] * 10) {
    m /= 10;
    e++;
  }
  *exponent = e;
  return m;
}

/* |v| of 2^64 or more: no digits after the point are but zeros. */
static void put_fixed_large(struct text *to, double v, size_t places, int point) {
  char digits[MOST];
  int e;
  uint64_t m = significant(v, MOST, &e);
  digits_of(digits, m, MOST);
  put(to, digits, MOST);
  put_zeros(to, (size_t)(e + 1 - MOST));
  if (places > 0 || point)
    put_char(to, '.');
  put_zeros(to, places);
}

static void put_fixed(struct text *to, double v, size_t places, int point) {
  if (v < 0x1p64)
    put_fixed_small(to, v, places, point);
  else
    put_fixed_large(to, v, places, point);
}

static void put_exponent(struct text *to, char letter, int e, size_t least) {
  char digits[4];
  unsigned size = (unsigned)(e < 0 ? -e : e);
  put_char(to, letter);
  put_char(to, e < 0 ? '-' : '+');
  digits_of(digits, size, 4);
  size_t n = 1 + (size_t)(size >= 10) + (size_t)(size >= 100) + (size_t)(size >= 1000);
  if (n < least)
    n = least;
  put(to, digits + 4 - n, n);
}

/* d.ddd with n digits in all (of which the first MOST count), then the exponent. */
static void put_scientific(struct text *to, const char *digits, size_t n, int e, char letter, int point) {
  size_t real = n < MOST ? n : MOST;
  put(to, digits, 1);
  if (n > 1 || point)
    put_char(to, '.');
  put(to, digits + 1, real - 1);
  put_zeros(to, n - real);
  put_exponent(to, letter, e, 2);
}

static void convert_e(struct text *to, double v, const struct spec *s) {
  size_t n = (s->has_precision ? s->precision : 6) + 1;
  size_t real = n < MOST ? n : MOST;
  char digits[MOST];
  int e;
  digits_of(digits, significant(v, real, &e), real);
  put_scientific(to, digits, n, e, s->letter, s->alternative);
}

static void convert_g(struct text *to, double v, const struct spec *s) {
  size_t n = !s->has_precision ? 6 : s->precision == 0 ? 1 : s->precision;
  size_t real = n < MOST ? n : MOST;
  char digits[MOST];
  int e;
  digits_of(digits, significant(v, real, &e), real);
  if (!s->alternative) {
    size_t kept = real;
    for (size_t i = real; i > 1; i--)
      kept -= kept == i && digits[i - 1] == '0';
    n = kept;
    real = kept;
  }
  int limit = !s->has_precision ? 6 : s->precision == 0 ? 1 : (int)s->precision;
  if (e < -4 || e >= limit) {
    put_scientific(to, digits, n, e, s->letter == 'g' ? 'e' : 'E', s->alternative);
    return;
  }
  if (e < 0) {
    put(to, "0.", 2);
    put_zeros(to, (size_t)(-e - 1));
    put(to, digits, real);
    put_zeros(to, n - real);
    return;
  }
  size_t before = (size_t)e + 1, have = before < real ? before : real;
  put(to, digits, have);
  put_zeros(to, before - have);
  if (n > before || s->alternative)
    put_char(to, '.');
  put(to, digits + have, real - have);
  if (n > real)
    put_zeros(to, n - (before > real ? before : real));
}

static void convert_a(struct text *to, double v, const struct spec *s) {
  int upper = s->letter == 'A';
  const char *alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  int field = (int)(bits >> 52 & 0x7ff);
  uint64_t lead = field != 0;
  int e = v == 0 ? 0 : field == 0 ? -1022 : field - 1023;
  size_t n = 13;
  if (s->has_precision && s->precision < 13) {
    unsigned drop = 52 - 4 * (unsigned)s->precision;
    uint64_t unit = (uint64_t)1 << drop, value = lead << 52 | fraction, rest = value & (unit - 1);
    value = (value >> drop) + (rest > unit / 2 || (rest == unit / 2 && (value >> drop & 1)));
    value <<= drop;
    lead = value >> 52;
    fraction = value & (((uint64_t)1 << 52) - 1);
    n = s->precision;
  } else if (!s->has_precision) {
    for (unsigned i = 0; i < 13; i++)
      n -= n == 13 - i && (fraction >> (4 * i) & 15) == 0;
  }
  char digits[13];
  for (int i = 0; i < 13; i++)
    digits[i] = alphabet[fraction >> (48 - 4 * i) & 15];
  put(to, upper ? "0X" : "0x", 2);
  put_char(to, (char)('0' + lead));
  if (n > 0 || s->alternative || (s->has_precision && s->precision > 0))
    put_char(to, '.');
  put(to, digits, n);
  if (s->has_precision && s->precision > 13)
    put_zeros(to, s->precision - 13);
  put_exponent(to, upper ? 'P' : 'p', e, 1);
}

size_t __blitz_format_float(char *buf, size_t size, const char *spec_text, const void *value, int is_long_double) {
  struct spec s = parse_spec(spec_text);
  double v = is_long_double ? (double)*(const long double *)value : *(const double *)value;
  struct text to = {.p = buf, .size = size};
  int upper = s.letter >= 'A' && s.letter <= 'Z';
  if (__builtin_signbit(v))
    put_char(&to, '-');
  else if (s.plus || s.space)
    put_char(&to, s.plus ? '+' : ' ');
  v = __builtin_fabs(v);
  if (__builtin_isnan(v))
    put(&to, upper ? "NAN" : "nan", 3);
  else if (__builtin_isinf(v))
    put(&to, upper ? "INF" : "inf", 3);
  else if ((s.letter | 32) == 'f')
    put_fixed(&to, v, s.has_precision ? s.precision : 6, s.alternative);
  else if ((s.letter | 32) == 'e')
    convert_e(&to, v, &s);
  else if ((s.letter | 32) == 'g')
    convert_g(&to, v, &s);
  else
    convert_a(&to, v, &s);
  return to.n;
}
