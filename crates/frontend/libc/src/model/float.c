/* Text of floating-point numbers in the modelled environment.
 *
 * direction: exact
 * Written for symbolic arguments: few branches, no loop that depends on the number, and a length that needs only
 * comparisons. That does for %f with up to 18 digits after the point and for up to 15 significant digits of numbers from 2^-12 to 2^63. Other
 * numbers have any digits if they are open, and else the exact ones, from long arithmetic (decimal.c); so a run always has the exact ones. */
#define _GNU_SOURCE
#include "decimal.h"
#include <string.h>

enum { MOST = 15, GUESSED = 20 }; /* significant digits that are computed without long arithmetic, and that are guessed */

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

/* The first n digits of a plain v (see below) as a number of n digits, and the exponent of the first. */
static uint64_t significant(double v, size_t n, int *exponent) {
  if (v == 0) {
    *exponent = 0;
    return 0;
  }
  int e = decimal_exponent(v);
  size_t places = (size_t)((int)n - 1 - e);
  uint64_t whole = (uint64_t)v;
  uint64_t m = whole * POWER[places] + scale_fraction(v - (double)whole, places, (int)(whole & 1));
  if (m >= POWER[n - 1] * 10) {
    m /= 10;
    e++;
  }
  *exponent = e;
  return m;
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

/* The digits of a number, however they were found; after those that are there come zeros. */
struct digits {
  const char *p;
  size_t count;
  int exponent; /* of the first */
};

/* The i-th to j-th digit, i <= j. */
static void put_digits(struct text *to, const struct digits *d, size_t i, size_t j) {
  size_t end = j < d->count ? j : d->count;
  if (i < end)
    put(to, d->p + i, end - i);
  put_zeros(to, j - (i > end ? i : end));
}

/* d.ddd with n digits in all, then the exponent. */
static void put_scientific(struct text *to, const struct digits *d, size_t n, char letter, int point) {
  put_digits(to, d, 0, 1);
  if (n > 1 || point)
    put_char(to, '.');
  put_digits(to, d, 1, n);
  put_exponent(to, letter, d->exponent, 2);
}

/* The number before and `places` digits after the point; the digits are rounded to that. */
static void put_fixed(struct text *to, const struct digits *d, size_t places, int point) {
  size_t before = d->exponent >= 0 ? (size_t)d->exponent + 1 : 0, zeros = d->exponent >= 0 ? 0 : (size_t)(-d->exponent - 1);
  if (d->exponent >= 0)
    put_digits(to, d, 0, before);
  else
    put_char(to, '0');
  if (places > 0 || point)
    put_char(to, '.');
  if (zeros > places || d->count == 0)
    zeros = places;
  put_zeros(to, zeros);
  put_digits(to, d, before, before + places - zeros);
}

/* %g of digits that are rounded to n of them. */
static void put_general(struct text *to, const struct digits *d, size_t n, const struct spec *s) {
  size_t shown = n;
  if (!s->alternative) {
    shown = d->count < n ? d->count : n;
    for (size_t i = shown; i > 1; i--)
      shown -= shown == i && d->p[i - 1] == '0';
    shown = shown == 0 ? 1 : shown;
  }
  if (d->exponent < -4 || d->exponent >= (int)n) {
    put_scientific(to, d, shown, s->letter == 'g' ? 'e' : 'E', s->alternative);
    return;
  }
  int places = (int)shown - 1 - d->exponent;
  put_fixed(to, d, places > 0 ? (size_t)places : 0, s->alternative);
}

/* How many significant digits %e and %g ask for. */
static size_t wanted(const struct spec *s) {
  size_t n = s->has_precision ? s->precision : 6;
  return (s->letter | 32) == 'e' ? n + 1 : n == 0 ? 1 : n;
}

static size_t places_of(const struct spec *s) { return s->has_precision ? s->precision : 6; }

static void put_any(struct text *to, const struct digits *d, const struct spec *s) {
  if ((s->letter | 32) == 'f')
    put_fixed(to, d, places_of(s), s->alternative);
  else if ((s->letter | 32) == 'e')
    put_scientific(to, d, wanted(s), s->letter, s->alternative);
  else
    put_general(to, d, wanted(s), s);
}

/* A plain number needs no long arithmetic: few digits are asked for, and its last bit is at 2^-64 or above. */
static int plain(double v, const struct spec *s) {
  if (v == 0)
    return 1;
  if (v < 0x1p-12 || v >= 0x1p63)
    return 0;
  if ((s->letter | 32) == 'f')
    return places_of(s) <= 18;
  return wanted(s) <= MOST && v < __blitz_pow10[wanted(s)];
}

static void put_plain(struct text *to, double v, const struct spec *s) {
  if ((s->letter | 32) == 'f') {
    put_fixed_small(to, v, places_of(s), s->alternative);
    return;
  }
  char digits[MOST];
  size_t real = wanted(s) < MOST ? wanted(s) : MOST;
  int e;
  digits_of(digits, significant(v, real, &e), real);
  put_any(to, &(struct digits){digits, real, e}, s);
}

/* Any digits, for what is open: the place of the first is known but for one. */
static void put_guess(struct text *to, double v, const struct spec *s, const char *guess, int by) {
  for (int i = 0; i < GUESSED; i++)
    __blitz_assume(guess[i] >= '0' && guess[i] <= '9');
  __blitz_assume(guess[0] != '0' && by >= -1 && by <= 1);
  __blitz_more("printf: digits of a very small, very large or very exact number are any");
  put_any(to, &(struct digits){guess, GUESSED, decimal_exponent(v) + by}, s);
}

/* All digits of what is known. */
static void put_exact(struct text *to, long double v, const struct spec *s) {
  static struct decimal d;
  uint64_t mantissa;
  uint16_t field;
  memcpy(&mantissa, &v, sizeof mantissa);
  memcpy(&field, (const char *)&v + 8, sizeof field);
  int e = (field & 0x7fff) - 16383 - 63;
  if (e > 966 || e < -1140)
    __blitz_unsupported("printf: a long double outside of the range of double");
  for (; (mantissa & 1) == 0; mantissa >>= 1)
    e++;
  __blitz_to_decimal(mantissa, e, &d);
  __blitz_round_decimal(&d, (s->letter | 32) == 'f' ? d.exponent + 1 + (int)places_of(s) : (int)wanted(s));
  if (d.count == 0)
    d.exponent = -1;
  put_any(to, &(struct digits){d.digits, (size_t)d.count, d.exponent}, s);
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

/* A finite number of %f, %e or %g. */
static void convert(struct text *to, double v, const long double *whole, const struct spec *s) {
  if ((whole == NULL || (long double)v == *whole) && plain(v, s)) {
    put_plain(to, v, s);
    return;
  }
  if (whole != NULL && (__builtin_isinf(v) || v == 0))
    __blitz_unsupported("printf: a long double outside of the range of double");
  char guess[GUESSED];
  __blitz_input_bytes(guess, sizeof guess, "(guess) digits");
  int by = __blitz_input_int("(guess) exponent");
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  if (__blitz_open((size_t)bits) || __blitz_open(s->precision))
    put_guess(to, v, s, guess, by);
  else
    put_exact(to, whole ? *whole : v, s);
}

size_t __blitz_format_float(char *buf, size_t size, const char *spec_text, const void *value, int is_long_double) {
  struct spec s = parse_spec(spec_text);
  long double whole = 0;
  double v;
  if (is_long_double) {
    whole = __builtin_fabsl(*(const long double *)value);
    v = (double)*(const long double *)value;
  } else {
    v = *(const double *)value;
  }
  struct text to = {.p = buf, .size = size};
  int upper = s.letter >= 'A' && s.letter <= 'Z';
  if (__builtin_signbit(v))
    put_char(&to, '-');
  else if (s.plus || s.space)
    put_char(&to, s.plus ? '+' : ' ');
  v = __builtin_fabs(v);
  if (__builtin_isnan(v)) {
    put(&to, upper ? "NAN" : "nan", 3);
  } else if (is_long_double ? __builtin_isinf(whole) : __builtin_isinf(v)) {
    put(&to, upper ? "INF" : "inf", 3);
  } else if ((s.letter | 32) == 'a') {
    if (is_long_double)
      __blitz_unsupported("printf: %La");
    convert_a(&to, v, &s);
  } else {
    convert(&to, v, is_long_double ? &whole : NULL, &s);
  }
  return to.n;
}
