/* Numbers from text: strtol, atoi and their relatives, under every name glibc's headers give them.
 *
 * direction: exact
 * Nothing is read beyond the bytes of a number. In the modelled environment a number of few digits is a closed form over its bytes.
 * Floating-point numbers are the variant's business (__blitz_parse_float). */
#define _GNU_SOURCE
#include "libc.h"
#include <inttypes.h>
#include <locale.h>
#include <monetary.h>
#include <string.h>
#include <wchar.h>

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The value of a digit; 99 for what is none. */
static unsigned digit_value(char c) {
  unsigned char u = (unsigned char)c;
  unsigned letter = (u | 32u) - 'a';
  unsigned digit = u - (unsigned)'0';
  return digit < 10 ? digit : letter < 26 ? letter + 10 : 99;
}

/* Steps over "0x" (base 16 or 0) or "0b" (base 2 or 0, C23 only) and settles the base. */
static const char *skip_prefix(const char *s, unsigned *base) {
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && (*base == 0 || *base == 16) && digit_value(s[2]) < 16) {
    *base = 16;
    return s + 2;
  }
  if (*base == 0)
    *base = s[0] == '0' ? 8 : 10;
  return s;
}

/* So many blanks and digits of a text that is open are followed; a number beyond them is anything, in symbolic executions that don't go path by path: a
 * run is exact. */
enum { BLANKS = 2, DIGITS = 19, DIGITS_OF_INT = 11 };

/* The number at the begin of a text: its magnitude, and how many bytes it takes with all that is before it. */
struct magnitude {
  uint64_t value;
  size_t length;
  int negative, too_large;
};

/* What a symbolic execution takes a number for that it does not follow: asked for where the text is that long, which a run can tell too. */
struct guess {
  uint64_t value;
  size_t length;
  _Bool asked, negative, too_large;
};

static void ask(struct guess *g) {
  if (g->asked)
    return;
  *g = (struct guess){.value = __blitz_input_u64("(guess) number"), .length = __blitz_input_size("(guess) length"), .asked = 1,
                      .negative = __blitz_input_bool("(guess) negative"), .too_large = __blitz_input_bool("(guess) too large")};
}

/* Whether the guess is taken: after that many steps, if the byte is open. */
static int beyond(struct guess *g, unsigned step, unsigned most, char byte) {
  if (!GUESSES || step < most)
    return 0;
  ask(g);
  return __blitz_open((size_t)byte);
}

static struct magnitude guessed(const char *s, const struct guess *g, uint64_t largest, uint64_t smallest, _Bool known) {
  size_t length = known ? __blitz_scan(s, 0, SIZE_MAX) : strlen(s);
  uint64_t limit = g->negative ? smallest : largest;
  __blitz_more("strtol: a number after many blanks or of many digits is any");
  __blitz_assume(g->length <= length && g->value <= limit);
  __blitz_assume(g->length != 0 || (g->value == 0 && !g->too_large));
  __blitz_assume(!g->too_large || g->value == limit);
  return (struct magnitude){.value = g->value, .length = g->length, .negative = g->negative, .too_large = g->too_large};
}

/* The first bytes of a text, as values: what is stepped over is shifted out, so that the rest is found at constant places and nothing branches. */
struct window {
  unsigned char byte[BLANKS + 1 + 2 + DIGITS + 1];
  unsigned size;
  size_t stepped;
};

static _Bool blank(unsigned char c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }

static unsigned digit(unsigned char c, unsigned base) {
  unsigned figure = (unsigned)c - '0', letter = (c | 32u) - 'a';
  if (base <= 10)
    return figure;
  return (unsigned)__blitz_choose(figure < 10, figure, __blitz_choose(letter < 26, letter + 10, 99));
}

static void step_over(struct window *w, _Bool cond, unsigned n) {
  w->size -= n;
  for (unsigned i = 0; i < w->size; i++)
    w->byte[i] = (unsigned char)__blitz_choose(cond, w->byte[i + n], w->byte[i]);
  w->stepped += (size_t)__blitz_choose(cond, n, 0);
}

/* What a window shows: the number, unless it has more blanks or digits (`far`). */
struct reading {
  struct magnitude m;
  size_t stepped; /* the bytes in front of the one that ends it */
  _Bool far;
  unsigned char open; /* any of them */
};

/* The number of a text with few blanks and digits, in a closed form: the same in a run and for all runs at once. */
static struct reading number_at_once(const char *s, unsigned base, unsigned most, uint64_t largest, uint64_t smallest) {
  struct window w = {.size = BLANKS + 1 + (base == 16 ? 2 : 0) + most + 1};
  struct reading r = {0};
  struct magnitude m = {0};
  for (unsigned i = 0; i < w.size; i++) {
    w.byte[i] = __blitz_peek(s, i);
    r.open |= w.byte[i];
  }
  for (unsigned i = 0; i < BLANKS; i++)
    step_over(&w, blank(w.byte[0]), 1);
  r.far = blank(w.byte[0]);
  m.negative = w.byte[0] == '-';
  step_over(&w, (w.byte[0] == '-') | (w.byte[0] == '+'), 1);
  if (base == 16)
    step_over(&w, (w.byte[0] == '0') & ((w.byte[1] | 32) == 'x') & (digit(w.byte[2], 16) < 16), 2);
  _Bool on = 1;
  size_t digits = 0;
  for (unsigned i = 0; i < most; i++) {
    unsigned d = digit(w.byte[i], base);
    on &= d < base;
    m.value = __blitz_choose(on, m.value * base + d, m.value);
    digits += on;
  }
  r.far |= on & (digit(w.byte[most], base) < base);
  uint64_t limit = __blitz_choose(m.negative, smallest, largest);
  m.too_large = m.value > limit;
  m.value = __blitz_choose(m.too_large, limit, m.value);
  r.stepped = w.stepped + digits;
  m.length = (size_t)__blitz_choose(digits != 0, r.stepped, 0);
  r.m = m;
  return r;
}

/* How many digits of a base never overflow 64 bits. */
static unsigned harmless(unsigned base) { return base <= 10 ? 19 : base <= 16 ? 15 : 12; }

/* The number at s, saturated at `largest` (`smallest` in magnitude if it is negative), one byte after the other. */
static struct magnitude by_steps(const char *s, unsigned base, unsigned most, uint64_t largest, uint64_t smallest, struct guess *g) {
  struct magnitude m = {0};
  const char *p = s;
  for (unsigned i = 0; is_space(*p); i++, p++)
    if (beyond(g, i, BLANKS, *p))
      return guessed(s, g, largest, smallest, 0);
  m.negative = *p == '-';
  if (*p == '-' || *p == '+')
    p++;
  p = skip_prefix(p, &base);
  const char *digits = p;
  uint64_t limit = m.negative ? smallest : largest;
  most = base >= 10 ? most : 65;
  for (unsigned i = 0;; i++, p++) {
    unsigned d = digit_value(*p);
    if (d >= base)
      break;
    if (beyond(g, i, most, *p))
      return guessed(s, g, largest, smallest, 0);
    if (i >= harmless(base) && (m.value > limit / base || (m.value == limit / base && d > limit % base)))
      m.too_large = 1;
    m.value = m.value * base + d;
  }
  m.too_large |= m.value > limit;
  if (m.too_large)
    m.value = limit;
  m.length = p == digits ? 0 : (size_t)(p - s);
  return m;
}

/* `known`: the text is a string that was looked at, whatever the number is. */
static struct magnitude magnitude(const char *s, unsigned base, unsigned most, uint64_t largest, uint64_t smallest, _Bool known) {
  struct guess g = {0};
  /* Path by path each byte is decided by itself: conditions on one byte are cheap, a closed form over all of them is not. */
  if (GUESSES && (base == 10 || base == 16 || base == 8)) {
    if (!known)
      __blitz_check_read(s, 1);
    struct reading r = number_at_once(s, base, most < harmless(base) ? most : harmless(base), largest, smallest);
    if (!r.far && !known) {
      __blitz_check_read(s, r.stepped + 1);
      __blitz_check_defined(s, r.stepped + 1);
    }
    if (!r.far)
      return r.m;
    ask(&g);
    if (__blitz_open(r.open))
      return guessed(s, &g, largest, smallest, known);
  }
  return by_steps(s, base, most, largest, smallest, &g);
}

static struct magnitude parse(const char *s, char **end, int base, unsigned most, uint64_t largest, uint64_t smallest, _Bool known) {
  struct magnitude m = {0};
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return m;
  }
  m = magnitude(s, (unsigned)base, most, largest, smallest, known);
  if (m.too_large)
    errno = ERANGE;
  if (end != NULL)
    *end = (char *)s + m.length;
  return m;
}

static int64_t parse_signed(const char *s, char **end, int base, uint64_t largest) {
  struct magnitude m = parse(s, end, base, DIGITS, largest, largest + 1, 0);
  return (int64_t)(m.negative ? -m.value : m.value);
}

/* Negative numbers wrap, except that too large ones saturate. */
static uint64_t parse_unsigned(const char *s, char **end, int base, uint64_t largest) {
  struct magnitude m = parse(s, end, base, DIGITS, largest, largest, 0);
  return m.negative && !m.too_large ? -m.value : m.value;
}

/* glibc's headers rename some of these, differently by version: every name is defined here by its symbol. */
#define PARSER(tag, symbol, type, call)                                                                                \
  type tag(const char *s, char **end, int base) __asm__(symbol);                                                       \
  type tag(const char *s, char **end, int base) { return (type)call; }
#define FAMILY(tag, prefix)                                                                                            \
  PARSER(tag##1, prefix "strtol", long, parse_signed(s, end, base, __LONG_MAX__))                                      \
  PARSER(tag##2, prefix "strtoll", long long, parse_signed(s, end, base, INT64_MAX))                                   \
  PARSER(tag##3, prefix "strtoul", unsigned long, parse_unsigned(s, end, base, (unsigned long)-1))                     \
  PARSER(tag##4, prefix "strtoull", unsigned long long, parse_unsigned(s, end, base, UINT64_MAX))                      \
  PARSER(tag##5, prefix "strtoimax", intmax_t, parse_signed(s, end, base, INT64_MAX))                                  \
  PARSER(tag##6, prefix "strtoumax", uintmax_t, parse_unsigned(s, end, base, UINT64_MAX))

FAMILY(plain, "")
FAMILY(isoc23, "__isoc23_")
PARSER(strtoq_, "strtoq", long long, parse_signed(s, end, base, INT64_MAX))
PARSER(strtouq_, "strtouq", unsigned long long, parse_unsigned(s, end, base, UINT64_MAX))
long __strtol_internal(const char *s, char **end, int base, int group) { return plain1(s, end, base); }
long long __strtoll_internal(const char *s, char **end, int base, int group) { return plain2(s, end, base); }
unsigned long __strtoul_internal(const char *s, char **end, int base, int group) { return plain3(s, end, base); }
unsigned long long __strtoull_internal(const char *s, char **end, int base, int group) { return plain4(s, end, base); }
long strtol_l(const char *s, char **end, int base, locale_t locale) { return plain1(s, end, base); }
unsigned long strtoul_l(const char *s, char **end, int base, locale_t locale) { return plain3(s, end, base); }

/* Into fewer than 8 bytes goes the low part of what strtol gives, as glibc's; few digits matter then. */
uint64_t __blitz_parse_integer(const char *s, char **end, int base, int is_signed, int bytes) {
  if (bytes == 8)
    return is_signed ? (uint64_t)plain2(s, end, base) : plain4(s, end, base);
  uint64_t largest = is_signed ? __LONG_MAX__ : (uint64_t)(unsigned long)-1;
  struct magnitude m = parse(s, end, base, DIGITS_OF_INT, largest, is_signed ? largest + 1 : largest, 1);
  return m.negative ? -m.value : m.value;
}

/* The low half of what strtol gives, as glibc's. */
int atoi(const char *s) {
  struct magnitude m = parse(s, NULL, 10, DIGITS_OF_INT, __LONG_MAX__, (uint64_t)__LONG_MAX__ + 1, 0);
  return (int)(int64_t)(m.negative ? -m.value : m.value);
}
long atol(const char *s) { return plain1(s, NULL, 10); }
long long atoll(const char *s) { return plain2(s, NULL, 10); }

/* Floating point. */

/* direction: fewer, the decimal point of other locales */
static void point(void) {
  if (__blitz_locales[LC_NUMERIC] != LOCALE_C)
    __blitz_fewer("strtod: the decimal point of locales other than \"C\"");
  __blitz_text_is_rounded();
}

float strtof(const char *restrict s, char **restrict end) {
  float value;
  point();
  size_t n = __blitz_parse_float(s, &value, 0);
  if (end != NULL)
    *end = (char *)s + n;
  return value;
}

double strtod(const char *restrict s, char **restrict end) {
  double value;
  point();
  size_t n = __blitz_parse_float(s, &value, 1);
  if (end != NULL)
    *end = (char *)s + n;
  return value;
}

long double strtold(const char *restrict s, char **restrict end) {
  long double value;
  point();
  size_t n = __blitz_parse_float(s, &value, 2);
  if (end != NULL)
    *end = (char *)s + n;
  return value;
}

double atof(const char *s) { return strtod(s, NULL); }
double __strtod_internal(const char *s, char **end, int group) { return strtod(s, end); }
double strtod_l(const char *restrict s, char **restrict end, locale_t locale) { return strtod(s, end); }
float strtof_l(const char *restrict s, char **restrict end, locale_t locale) { return strtof(s, end); }
long double strtold_l(const char *restrict s, char **restrict end, locale_t locale) { return strtold(s, end); }

/* Text from numbers, the old way: the digits are those of the number rounded to `digits` significant ones. */
char *gcvt(double value, int digits, char *buf) {
  sprintf(buf, "%.*g", digits > 17 ? 17 : digits, value);
  return buf;
}

long a64l(const char *s) {
  static const char alphabet[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  uint32_t value = 0;
  for (int i = 0; i < 6 && s[i] != 0; i++) {
    size_t d = __blitz_scan(alphabet, s[i], 64);
    if (d == 64)
      break;
    value |= (uint32_t)d << (6 * i);
  }
  return (int32_t)value;
}
