/* Floating-point numbers from text in the modelled environment.
 *
 * direction: exact
 * Up to 15 digits and small exponents are one operation, which rounds as it should. Other numbers are any if their text is open, and else exact, by long
 * arithmetic (decimal.c); so a run is always exact. */
#define _GNU_SOURCE
#include "decimal.h"
#include <string.h>

enum { BLANKS = 2, CHARACTERS = 26, EXPONENT_DIGITS = 6, LONGEST = 800 };

/* What was read: mantissa * base^exponent, or more digits than a word holds. */
struct number {
  uint64_t mantissa;
  const char *first; /* the digits with their point */
  size_t length;
  int exponent, digits, dropped; /* digits seen, and those that are not in the mantissa and not zero */
};

/* What a number is taken for that is not followed, in symbolic executions only. */
struct guess {
  double value;
  size_t length;
  _Bool asked;
};

static void ask(struct guess *g) {
  if (!g->asked)
    *g = (struct guess){.value = __blitz_input_double("(guess) number"), .length = __blitz_input_size("(guess) length"), .asked = 1};
}

/* After so many steps the guess is taken, if the byte is open. */
static int beyond(struct guess *g, unsigned step, unsigned most, char byte) {
  if (__blitz_by_path || step < most)
    return 0;
  ask(g);
  return __blitz_open((size_t)byte);
}

static unsigned digit_value(char c) {
  unsigned letter = ((unsigned char)c | 32u) - 'a', digit = (unsigned char)c - (unsigned)'0';
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 99;
}

/* Digits with at most one point; null if they are not followed to their end. */
static const char *read_digits(const char *p, unsigned base, struct number *out, struct guess *g) {
  int point = 0;
  out->first = p;
  for (unsigned i = 0;; i++, p++) {
    if (*p == '.' && !point) {
      point = 1;
      continue;
    }
    unsigned d = digit_value(*p);
    if (d >= base) {
      out->length = (size_t)(p - out->first);
      return p;
    }
    if (beyond(g, i, CHARACTERS, *p))
      return NULL;
    out->digits++;
    if (out->mantissa <= (UINT64_MAX - 15) / base) {
      out->mantissa = out->mantissa * base + d;
      out->exponent -= point;
    } else {
      out->exponent += !point;
      out->dropped |= d != 0;
    }
  }
}

/* The exponent after 'e' or 'p', if there is one; null if it is not followed to its end. */
static const char *read_exponent(const char *p, char letter, int *exponent, struct guess *g) {
  if ((*p | 32) != letter)
    return p;
  const char *q = p + 1;
  int negative = *q == '-', value = 0;
  if (*q == '-' || *q == '+')
    q++;
  if (*q < '0' || *q > '9')
    return p;
  for (unsigned i = 0; *q >= '0' && *q <= '9'; i++, q++) {
    if (beyond(g, i, EXPONENT_DIGITS, *q))
      return NULL;
    value = value < 100000 ? value * 10 + (*q - '0') : value;
  }
  *exponent = negative ? -value : value;
  return q;
}

/* What a float, double or long double holds: bits, and the place of the last. */
static const struct format {
  int precision, least, most;
} FORMATS[] = {{24, -149, 128}, {53, -1074, 1024}, {64, -16445, 16384}};

/* v * 2^e, exactly where the result holds that. */
static long double scale(long double v, int e) {
  for (; e > 512; e -= 512)
    v *= 0x1p512L;
  for (; e < -512; e += 512)
    v *= 0x1p-512L;
  for (; e > 0; e--)
    v *= 2;
  for (; e < 0; e++)
    v /= 2;
  return v;
}

/* A number in the kind's format, rounded once. */
static void store(struct binary b, void *out, int kind) {
  const struct format *format = &FORMATS[kind];
  b = __blitz_round_binary(b, format->precision, format->least);
  int bits = 0;
  for (wide m = b.mantissa; m != 0; m >>= 1)
    bits++;
  int tiny = b.exponent + bits <= format->least + format->precision - 1;
  if ((b.mantissa == 0 || tiny) && b.sticky)
    errno = ERANGE;
  long double value = 0;
  if (bits != 0 && b.exponent + bits > format->most) {
    errno = ERANGE;
    value = __builtin_infl();
  } else if (bits != 0) {
    value = scale((long double)(uint64_t)b.mantissa, b.exponent);
  }
  if (kind == 0)
    *(float *)out = (float)value;
  else if (kind == 1)
    *(double *)out = (double)value;
  else
    *(long double *)out = value;
}

/* By long arithmetic. */
static void store_exact(const struct number *n, int e, int hex, void *out, int kind) {
  if (hex) {
    store((struct binary){.mantissa = n->mantissa, .exponent = n->exponent * 4 + e, .sticky = n->dropped}, out, kind);
    return;
  }
  static char digits[LONGEST];
  size_t count = 0;
  int point = 0, e10 = e, more = 0;
  for (size_t i = 0; i < n->length; i++) {
    char c = n->first[i];
    if (c == '.') {
      point = 1;
      continue;
    }
    if (count == 0 && c == '0') {
      e10 -= point;
    } else if (count < LONGEST - 1) {
      digits[count++] = c;
      e10 -= point;
    } else {
      more |= c != '0';
      e10 += !point;
    }
  }
  /* Further digits only say that there is a little more. */
  if (more) {
    digits[count++] = '1';
    e10--;
  }
  int top = e10 + (int)count;
  int far = kind == 2 && (top > 400 || top < -400) && top < 4940 && top > -5000;
  if (far && count != 0)
    __blitz_unsupported("strtold: a number outside of the range of double");
  if (top > 400 && count != 0)
    store((struct binary){.mantissa = 1, .exponent = 20000}, out, kind);
  else if (top < -400 && count != 0)
    store((struct binary){.mantissa = 1, .exponent = -40000}, out, kind);
  else
    store(__blitz_to_binary(digits, count, count == 0 ? 0 : e10), out, kind);
}

/* In one operation on numbers that are exact, where that is possible. */
static int store_simple(const struct number *n, int e10, void *out, int kind) {
  int size = e10 < 0 ? -e10 : e10;
  if (n->dropped || size > (kind == 0 ? 10 : 22) || n->mantissa >= (kind == 0 ? 1ull << 24 : 1ull << 53))
    return 0;
  double power = __blitz_pow10[size], m = (double)n->mantissa;
  if (kind == 0)
    *(float *)out = e10 < 0 ? (float)m / (float)power : (float)m * (float)power;
  else if (kind == 1)
    *(double *)out = e10 < 0 ? m / power : m * power;
  else
    *(long double *)out = e10 < 0 ? (long double)m / (long double)power : (long double)m * (long double)power;
  return 1;
}

static void store_guess(const struct guess *g, void *out, int kind) {
  __blitz_more("strtod: a number of many digits or after many blanks is any");
  __blitz_assume(!__builtin_isnan(g->value));
  if (kind == 0)
    *(float *)out = (float)g->value;
  else if (kind == 1)
    *(double *)out = g->value;
  else
    *(long double *)out = g->value;
  if (__builtin_isinf(g->value) || __builtin_fabs(g->value) < 0x1p-1022)
    errno = __blitz_input_bool("(guess) range") ? ERANGE : errno;
}

/* Whether the text begins with the word, letters of either case. */
static int has_word(const char *p, const char *word) {
  for (; *word != 0; p++, word++)
    if ((*p | 32) != *word)
      return 0;
  return 1;
}

/* The number in nan(number), 0 if there is something else: which of the values that are no numbers is meant. */
static uint64_t number_of_nan(const char *p, const char *end) {
  if (__blitz_open((size_t)*p)) {
    __blitz_more("strtod: which NaN an open text means");
    return __blitz_input_u64("(guess) number of a NaN");
  }
  int hex = p[0] == '0' && (p[1] | 32) == 'x' && digit_value(p[2]) < 16;
  unsigned base = hex ? 16 : *p == '0' ? 8 : 10;
  uint64_t value = 0;
  _Bool too_large = 0;
  for (p += hex ? 2 : 0; p < end && digit_value(*p) < base; p++) {
    too_large |= __builtin_mul_overflow(value, (uint64_t)base, &value);
    too_large |= __builtin_add_overflow(value, (uint64_t)digit_value(*p), &value);
  }
  return p < end ? 0 : too_large ? UINT64_MAX : value;
}

/* inf, nan, nan(chars); null if there is none. */
static const char *read_word(const char *p, double *out, uint64_t *number) {
  if (has_word(p, "inf")) {
    *out = __builtin_inf();
    return has_word(p, "infinity") ? p + 8 : p + 3;
  }
  if (!has_word(p, "nan"))
    return NULL;
  *out = __builtin_nan("");
  if (p[3] != '(')
    return p + 3;
  const char *q = p + 4;
  for (unsigned i = 0; digit_value(*q) < 10 || ((unsigned char)*q | 32u) - 'a' < 26 || *q == '_'; i++, q++)
    CUT(i, 16, "a number of more than 26 characters");
  if (*q != ')')
    return p + 3;
  *number = number_of_nan(p + 4, q);
  return q + 1;
}

/* The bits of a NaN below the one that makes it quiet. */
static void store_number_of_nan(uint64_t number, void *out, int kind) {
  if (kind == 0)
    *(uint32_t *)out |= (uint32_t)number & 0x3fffff;
  else
    *(uint64_t *)out |= number & (kind == 1 ? ~0ull >> 13 : ~0ull >> 2);
}

static void store_plain(double value, void *out, int kind) {
  if (kind == 0)
    *(float *)out = (float)value;
  else if (kind == 1)
    *(double *)out = value;
  else
    *(long double *)out = value;
}

static void negate(void *out, int kind) {
  if (kind == 0)
    *(float *)out = -*(float *)out;
  else if (kind == 1)
    *(double *)out = -*(double *)out;
  else
    *(long double *)out = -*(long double *)out;
}

/* The value at p without its sign: where it ends, p if there is none, null if it was guessed. */
static const char *read_value(const char *p, void *out, int kind, struct guess *g) {
  struct number n = {0};
  int e = 0;
  double word;
  uint64_t number = 0;
  const char *end = read_word(p, &word, &number);
  store_plain(end ? word : 0, out, kind);
  if (number != 0)
    store_number_of_nan(number, out, kind);
  if (end != NULL)
    return end;
  int hex = p[0] == '0' && (p[1] | 32) == 'x' && (digit_value(p[2]) < 16 || (p[2] == '.' && digit_value(p[3]) < 16));
  end = read_digits(hex ? p + 2 : p, hex ? 16 : 10, &n, g);
  if (end == NULL)
    return NULL;
  if (n.digits == 0)
    return p;
  end = read_exponent(end, hex ? 'p' : 'e', &e, g);
  if (end == NULL)
    return NULL;
  if (!hex && store_simple(&n, n.exponent + e, out, kind))
    return end;
  ask(g);
  if (__blitz_open((size_t)n.mantissa) || __blitz_open((size_t)(n.exponent + e))) {
    store_guess(g, out, kind);
    return end;
  }
  store_exact(&n, e, hex, out, kind);
  return end;
}

size_t __blitz_parse_float(const char *s, void *out, int kind) {
  const char *p = s, *end;
  struct guess g = {0};
  int followed = 1;
  __blitz_check_string(s);
  for (unsigned i = 0; followed && (*p == ' ' || (*p >= '\t' && *p <= '\r')); i += (unsigned)followed, p += followed)
    followed = !beyond(&g, i, BLANKS, *p);
  int negative = *p == '-';
  if (*p == '-' || *p == '+')
    p++;
  end = followed ? read_value(p, out, kind, &g) : NULL;
  if (end == NULL) {
    __blitz_assume(g.length <= strlen(s) && (g.length != 0 || g.value == 0));
    store_guess(&g, out, kind);
    return g.length;
  }
  if (negative && end != p)
    negate(out, kind);
  return end == p ? 0 : (size_t)(end - s);
}
