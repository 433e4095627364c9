/* The printf family.
 *
 * What: one interpreter of formats that puts pieces into a sink. A piece of text is one bulk copy, a number is
 * converted without branches on its value (all digits it could have, of which the last ones are used), so that a
 * symbolic argument costs no paths and its length only comparisons.
 * Output to a stream of the modelled environment needs no digits: only their number counts.
 * direction: exact, but that a stream never fails
 * Absent: locale-dependent grouping. */
#define _GNU_SOURCE
#include "libc.h"
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

enum { LEFT = 1, PLUS = 2, SPACE = 4, ALT = 8, ZERO = 16, UPPER = 32, PRECISION = 64 };

/* One conversion: %[flags][width][.precision][length]letter. */
struct conv {
  unsigned flags;
  size_t width;
  size_t precision; /* counts if PRECISION is set */
  int bytes;        /* of an integer argument */
  int is_long;      /* 'l' for c and s, 'L' for floats */
  char letter;
};

/* Arguments in order, or by their positions (%2$d): then all were taken before, by their types. */
union value {
  int64_t integer;
  double narrow;
  long double wide;
  const void *pointer;
};
enum { POSITIONS = 9 };
struct args {
  va_list list;
  const union value *values; /* null where they come in order */
  int at;                    /* the position that is next */
};

static const union value *positional(struct args *args) {
  if (args->at < 1 || args->at > POSITIONS)
    __blitz_unsupported("printf: positions of arguments beyond 9");
  return &args->values[args->at - 1];
}

/* A sink of the modelled environment only counts: nobody reads what leaves the program. What goes to memory or to a file that can be read stays. */
static int counts_only(const struct sink *to) { return __blitz_model && to->f != NULL && !__blitz_stream_keeps(to->f); }

/* Of wide output: one character, and texts of bytes and of characters. */
static int is_wide(const struct sink *to) { return to->format != NULL; }

static void put_character(struct sink *to, wchar_t c) {
  if (to->f != NULL) {
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t n = wcrtomb(bytes, c, &state);
    /* glibc writes a question mark for what the locale has not. */
    if (n == (size_t)-1)
      bytes[0] = '?', n = 1;
    __blitz_stream_write(to->f, bytes, n);
  } else if (to->at < to->size) {
    to->wide[to->at] = c;
  }
  to->at++;
}

static void put_characters(struct sink *to, const wchar_t *p, size_t n) {
  if (counts_only(to)) {
    to->at += n;
    return;
  }
  for (size_t i = 0; i < n; i++)
    put_character(to, p[i]);
}

/* Bytes as characters; those that are none make the call fail. */
static void widen(struct sink *to, const char *p, size_t n) {
  mbstate_t state = {0};
  for (size_t i = 0; i < n && !to->failed;) {
    wchar_t c = 0;
    size_t got = (unsigned char)p[i] < 128 ? 1 : mbrtowc(&c, p + i, n - i, &state);
    if (got == (size_t)-1 || got == (size_t)-2) {
      to->failed = 1;
      return;
    }
    put_character(to, got == 1 && c == 0 ? (unsigned char)p[i] : c);
    i += got;
  }
}

static void put(struct sink *to, const char *p, size_t n) {
  if (is_wide(to)) {
    widen(to, p, n);
    return;
  }
  if (to->f != NULL) {
    if (n != 0)
      __blitz_stream_write(to->f, p, n);
  } else if (to->size == SIZE_MAX) {
    memcpy(to->mem + to->at, p, n);
  } else if (to->at < to->size) {
    size_t room = to->size - to->at;
    memcpy(to->mem + to->at, p, n < room ? n : room);
  }
  to->at += n;
}

static void fill_stream(FILE *f, int byte, size_t n) {
  char chunk[64];
  memset(chunk, byte, sizeof chunk);
  for (; n > sizeof chunk; n -= sizeof chunk)
    __blitz_stream_write(f, chunk, sizeof chunk);
  if (n != 0)
    __blitz_stream_write(f, chunk, n);
}

static void fill(struct sink *to, int byte, size_t n) {
  if (is_wide(to)) {
    for (size_t i = 0; i < n && !counts_only(to) && to->at + i < to->size; i++)
      if (to->f == NULL)
        to->wide[to->at + i] = byte;
    if (to->f != NULL && !counts_only(to))
      fill_stream(to->f, byte, n);
    to->at += n;
    return;
  }
  if (to->f != NULL) {
    if (!counts_only(to))
      fill_stream(to->f, byte, n);
  } else if (to->size == SIZE_MAX) {
    memset(to->mem + to->at, byte, n);
  } else if (to->at < to->size) {
    size_t room = to->size - to->at;
    memset(to->mem + to->at, byte, n < room ? n : room);
  }
  to->at += n;
}

/* Text of n bytes in a field of the conversion's width. */
static void put_text(struct sink *to, const struct conv *c, const char *p, size_t n) {
  if (c->width == 0) {
    put(to, p, n);
    return;
  }
  size_t pad = c->width > n ? c->width - n : 0;
  if (!(c->flags & LEFT))
    fill(to, ' ', pad);
  put(to, p, n);
  if (c->flags & LEFT)
    fill(to, ' ', pad);
}

/* A number: blanks, prefix (sign or base), zeros, digits, blanks. */
static void put_number(struct sink *to, const struct conv *c, const char *prefix, size_t prefix_len, const char *digits,
                       size_t n) {
  if (c->width == 0 && !(c->flags & PRECISION) && !counts_only(to)) {
    put(to, prefix, prefix_len);
    put(to, digits, n);
    return;
  }
  size_t zeros = c->flags & PRECISION && c->precision > n ? c->precision - n : 0;
  size_t used = prefix_len + zeros + n;
  size_t pad = c->width > used ? c->width - used : 0;
  if (counts_only(to)) {
    /* The digits were not made. */
    to->at += used + pad;
    return;
  }
  if (c->flags & ZERO && !(c->flags & (LEFT | PRECISION))) {
    zeros = pad;
    pad = 0;
  }
  if (!(c->flags & LEFT))
    fill(to, ' ', pad);
  put(to, prefix, prefix_len);
  fill(to, '0', zeros);
  put(to, digits, n);
  if (c->flags & LEFT)
    fill(to, ' ', pad);
}

enum { DIGITS = 24 };

/* Decimal digits at the end of buf; how many. The count is comparisons only, so that it is cheap on its own. */
static size_t decimal32(char *buf, uint32_t v, int count_only) {
  size_t n = 1;
  for (uint32_t power = 10, i = 1; i < 10; i++, power *= 10)
    n += v >= power;
  if (!count_only)
    for (size_t i = 0; i < 10; i++, v /= 10)
      buf[DIGITS - 1 - i] = (char)('0' + v % 10);
  return n;
}

static size_t decimal64(char *buf, uint64_t v, int count_only) {
  size_t n = 1;
  uint64_t power = 10;
  for (int i = 1; i < 20; i++, power *= 10)
    n += v >= power;
  if (!count_only)
    for (size_t i = 0; i < 20; i++, v /= 10)
      buf[DIGITS - 1 - i] = (char)('0' + v % 10);
  return n;
}

/* Digits of a base that is a power of two. */
static size_t binary(char *buf, uint64_t v, int shift, int bits, const char *alphabet, int count_only) {
  int most = (bits + shift - 1) / shift;
  size_t n = 1;
  for (int i = 1; i < most; i++)
    n += v >> (i * shift) != 0;
  if (!count_only)
    for (int i = 0; i < most; i++)
      buf[DIGITS - 1 - i] = alphabet[(v >> (i * shift)) & ((1u << shift) - 1)];
  return n;
}

static int int_arg(struct args *args) { return args->values ? (int)positional(args)->integer : va_arg(args->list, int); }
static int64_t long_arg(struct args *args) { return args->values ? positional(args)->integer : va_arg(args->list, int64_t); }
static void *pointer_arg(struct args *args) { return args->values ? (void *)positional(args)->pointer : va_arg(args->list, void *); }

static int64_t signed_arg(struct args *args, int bytes) {
  if (bytes == 8)
    return long_arg(args);
  int v = int_arg(args);
  return bytes == 1 ? (signed char)v : bytes == 2 ? (short)v : v;
}

static uint64_t unsigned_arg(struct args *args, int bytes) {
  if (bytes == 8)
    return (uint64_t)long_arg(args);
  unsigned v = (unsigned)int_arg(args);
  return bytes == 1 ? (unsigned char)v : bytes == 2 ? (unsigned short)v : v;
}

static size_t decimal(char *buf, uint64_t v, int bytes, int count_only) {
  return bytes == 8 ? decimal64(buf, v, count_only) : decimal32(buf, (uint32_t)v, count_only);
}

/* A precision of 0 prints no digit of the number 0. */
static size_t suppress_zero(const struct conv *c, uint64_t v, size_t n) {
  return c->flags & PRECISION && c->precision == 0 && v == 0 ? 0 : n;
}

static void convert_signed(struct sink *to, const struct conv *c, struct args *args) {
  char buf[DIGITS] = {0}; /* stays so where the digits are only counted */
  int64_t v = signed_arg(args, c->bytes);
  uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
  size_t n = suppress_zero(c, magnitude, decimal(buf, magnitude, c->bytes, counts_only(to)));
  char sign[1] = {v < 0 ? '-' : c->flags & PLUS ? '+' : ' '};
  size_t sign_len = v < 0 || c->flags & (PLUS | SPACE);
  put_number(to, c, sign, sign_len, buf + DIGITS - n, n);
}

static void convert_unsigned(struct sink *to, const struct conv *c, struct args *args) {
  char buf[DIGITS] = {0}; /* stays so where the digits are only counted */
  uint64_t v = unsigned_arg(args, c->bytes);
  size_t n = suppress_zero(c, v, decimal(buf, v, c->bytes, counts_only(to)));
  put_number(to, c, "", 0, buf + DIGITS - n, n);
}

static void put_hex(struct sink *to, const struct conv *c, uint64_t v, int bytes, const char *prefix, size_t prefix_len) {
  char buf[DIGITS] = {0}; /* stays so where the digits are only counted */
  const char *alphabet = c->flags & UPPER ? "0123456789ABCDEF" : "0123456789abcdef";
  size_t n = suppress_zero(c, v, binary(buf, v, 4, bytes * 8, alphabet, counts_only(to)));
  put_number(to, c, prefix, prefix_len, buf + DIGITS - n, n);
}

static void convert_hex(struct sink *to, const struct conv *c, struct args *args) {
  uint64_t v = unsigned_arg(args, c->bytes);
  put_hex(to, c, v, c->bytes, c->flags & UPPER ? "0X" : "0x", c->flags & ALT && v != 0 ? 2 : 0);
}

static void convert_octal(struct sink *to, const struct conv *c, struct args *args) {
  char buf[DIGITS] = {0}; /* stays so where the digits are only counted */
  uint64_t v = unsigned_arg(args, c->bytes);
  size_t n = suppress_zero(c, v, binary(buf, v, 3, c->bytes * 8, "01234567", counts_only(to)));
  struct conv octal = *c;
  if (c->flags & ALT && (v != 0 || n == 0) && !(c->flags & PRECISION && c->precision > n)) {
    /* The leading 0 counts as a digit. */
    octal.precision = n + 1;
    if (!(c->flags & ZERO) || c->flags & (LEFT | PRECISION) || c->width <= n)
      octal.flags |= PRECISION;
  }
  put_number(to, &octal, "", 0, buf + DIGITS - n, n);
}

static void convert_binary(struct sink *to, const struct conv *c, struct args *args) {
  char buf[64];
  uint64_t v = unsigned_arg(args, c->bytes);
  size_t n = 1;
  for (int i = 1; i < 64; i++)
    n += v >> i != 0;
  for (int i = 0; i < 64; i++)
    buf[63 - i] = (char)('0' + (v >> i & 1));
  n = suppress_zero(c, v, n);
  put_number(to, c, c->letter == 'B' ? "0B" : "0b", c->flags & ALT && v != 0 ? 2 : 0, buf + 64 - n, n);
}

static void convert_pointer(struct sink *to, const struct conv *c, struct args *args) {
  uintptr_t v = (uintptr_t)pointer_arg(args);
  const char *prefix = c->flags & PLUS ? "+0x" : c->flags & SPACE ? " 0x" : "0x";
  if (v == 0)
    put_text(to, c, "(nil)", 5);
  else
    put_hex(to, c, v, sizeof v, prefix, strlen(prefix));
}

/* A field of characters. */
static void put_wide_text(struct sink *to, const struct conv *c, const wchar_t *p, size_t n) {
  size_t pad = c->width > n ? c->width - n : 0;
  if (!(c->flags & LEFT))
    fill(to, ' ', pad);
  put_characters(to, p, n);
  if (c->flags & LEFT)
    fill(to, ' ', pad);
}

static void convert_wide_char(struct sink *to, const struct conv *c, struct args *args) {
  int given = int_arg(args);
  wchar_t w = c->is_long ? given : (wchar_t)btowc((unsigned char)given);
  put_wide_text(to, c, &w, 1);
}

static void convert_char(struct sink *to, const struct conv *c, struct args *args) {
  if (is_wide(to)) {
    convert_wide_char(to, c, args);
    return;
  }
  char bytes[MB_LEN_MAX];
  size_t n = 1;
  if (c->is_long) {
    mbstate_t state = {0};
    n = wcrtomb(bytes, (wchar_t)int_arg(args), &state);
    if (n == (size_t)-1) {
      to->failed = 1;
      return;
    }
  } else {
    bytes[0] = (char)int_arg(args);
  }
  put_text(to, c, bytes, n);
}

/* A wide string, converted character by character; the precision limits bytes. */
static void convert_wide(struct sink *to, const struct conv *c, const wchar_t *s) {
  size_t limit = c->flags & PRECISION ? c->precision : SIZE_MAX, total = 0;
  char bytes[MB_LEN_MAX];
  for (size_t i = 0; total < limit && s[i] != 0; i++) {
    mbstate_t state = {0};
    size_t n = wcrtomb(bytes, s[i], &state);
    if (n == (size_t)-1) {
      to->failed = 1;
      return;
    }
    if (total + n > limit)
      break;
    total += n;
  }
  size_t pad = c->width > total ? c->width - total : 0;
  if (!(c->flags & LEFT))
    fill(to, ' ', pad);
  for (size_t i = 0, done = 0; done < total; i++) {
    mbstate_t state = {0};
    size_t n = wcrtomb(bytes, s[i], &state);
    put(to, bytes, n);
    done += n;
  }
  if (c->flags & LEFT)
    fill(to, ' ', pad);
}

/* Bytes of %s in a wide format: the precision limits characters. */
static void convert_narrow(struct sink *to, const struct conv *c, const char *s) {
  size_t limit = c->flags & PRECISION ? c->precision : SIZE_MAX, characters = 0, bytes = 0;
  mbstate_t state = {0};
  while (characters < limit && s[bytes] != 0) {
    wchar_t ignored;
    size_t got = mbrtowc(&ignored, s + bytes, MB_LEN_MAX, &state);
    if (got == (size_t)-1 || got == (size_t)-2) {
      to->failed = 1;
      return;
    }
    bytes += got;
    characters++;
  }
  size_t pad = c->width > characters ? c->width - characters : 0;
  if (!(c->flags & LEFT))
    fill(to, ' ', pad);
  if (counts_only(to))
    to->at += characters;
  else
    widen(to, s, bytes);
  if (c->flags & LEFT)
    fill(to, ' ', pad);
}

static void convert_string_in_wide(struct sink *to, const struct conv *c, const void *s) {
  if (!c->is_long)
    convert_narrow(to, c, s);
  else
    put_wide_text(to, c, s, c->flags & PRECISION ? wcsnlen(s, c->precision) : wcslen(s));
}

static void convert_string(struct sink *to, const struct conv *c, struct args *args) {
  const char *s = pointer_arg(args);
  if (is_wide(to) && s != NULL) {
    convert_string_in_wide(to, c, s);
    return;
  }
  if (s == NULL) {
    size_t n = c->flags & PRECISION && c->precision < 6 ? 0 : 6;
    put_text(to, c, "(null)", n);
  } else if (c->is_long) {
    convert_wide(to, c, (const wchar_t *)s);
  } else if (c->flags & PRECISION) {
    size_t n = strnlen(s, c->precision);
    __blitz_check_defined(s, n);
    put_text(to, c, s, n);
  } else {
    put_text(to, c, s, strlen(s));
  }
}

/* The conversion as text without width, for the formatter of the variant. */
static void float_spec(char *spec, const struct conv *c) {
  *spec++ = '%';
  if (c->flags & PLUS)
    *spec++ = '+';
  if (c->flags & SPACE)
    *spec++ = ' ';
  if (c->flags & ALT)
    *spec++ = '#';
  if (c->flags & PRECISION) {
    char digits[DIGITS];
    size_t n = decimal32(digits, (uint32_t)c->precision, 0);
    *spec++ = '.';
    memcpy(spec, digits + DIGITS - n, n);
    spec += n;
  }
  if (c->is_long)
    *spec++ = 'L';
  *spec++ = c->letter;
  *spec = 0;
}

/* How many leading bytes of a formatted number stay in front of zeros that fill the field. */
static size_t float_prefix(const char *text, size_t n) {
  size_t at = n > 0 && (text[0] == '-' || text[0] == '+' || text[0] == ' ');
  if (n > at + 1 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X'))
    at += 2;
  return at;
}

static void put_float(struct sink *to, const struct conv *c, const char *text, size_t n) {
  size_t prefix = c->flags & ZERO ? float_prefix(text, n) : 0;
  struct conv field = *c;
  field.flags &= ~(unsigned)PRECISION;
  char last = text[n - 1];
  if (!(c->flags & ZERO) || last == 'f' || last == 'n' || last == 'F' || last == 'N')
    if (c->letter != 'a' && c->letter != 'A')
      field.flags &= ~(unsigned)ZERO;
  if (field.flags & ZERO)
    put_number(to, &field, text, prefix, text + prefix, n - prefix);
  else
    put_text(to, &field, text, n);
}

static void convert_float(struct sink *to, const struct conv *c, struct args *args) {
  char spec[40];
  long double wide = 0;
  double narrow = 0;
  if (c->is_long)
    wide = args->values ? positional(args)->wide : va_arg(args->list, long double);
  else
    narrow = args->values ? positional(args)->narrow : va_arg(args->list, double);
  const void *value = c->is_long ? (const void *)&wide : (const void *)&narrow;
  if (__blitz_locales[LC_NUMERIC] != LOCALE_C && !counts_only(to))
    __blitz_fewer("printf: the decimal point of locales other than \"C\"");
  if (!counts_only(to))
    __blitz_text_is_rounded();
  float_spec(spec, c);
  char small[400];
  if (!c->is_long && (!(c->flags & PRECISION) || c->precision < 64)) {
    put_float(to, c, small, __blitz_format_float(small, sizeof small, spec, value, 0));
    return;
  }
  size_t room = 5000 + (c->flags & PRECISION ? c->precision : 0);
  char *text = __blitz_heap_alloc(room);
  put_float(to, c, text, __blitz_format_float(text, room, spec, value, c->is_long));
  __blitz_heap_free(text);
}

static void store_count(const struct sink *to, const struct conv *c, struct args *args) {
  void *p = pointer_arg(args);
  switch (c->bytes) {
  case 1: *(char *)p = (char)to->at; break;
  case 2: *(short *)p = (short)to->at; break;
  case 8: *(int64_t *)p = (int64_t)to->at; break;
  default: *(int *)p = (int)to->at; break;
  }
}

static const char *parse_flags(const char *p, struct conv *c) {
  for (;; p++) {
    switch (*p) {
    case '-': c->flags |= LEFT; break;
    case '+': c->flags |= PLUS; break;
    case ' ': c->flags |= SPACE; break;
    case '#': c->flags |= ALT; break;
    case '0': c->flags |= ZERO; break;
    case '\'': case 'I': break;
    default: return p;
    }
  }
}

static const char *parse_number(const char *p, size_t *out) {
  size_t n = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    n = n * 10 + (size_t)(*p - '0');
  *out = n;
  return p;
}

/* The position "2$", if there is one and positions are used; 0 if not. */
static const char *parse_position(const char *p, int *at) {
  size_t n;
  const char *end = parse_number(p, &n);
  *at = *end == '$' && n <= POSITIONS ? (int)n : 0;
  return *end == '$' ? end + 1 : p;
}

/* The argument of a '*' at p, and where the format goes on. */
static const char *star(const char *p, struct args *args, int *value) {
  p++;
  int of_conversion = args->at;
  if (args->values != NULL)
    p = parse_position(p, &args->at);
  *value = int_arg(args);
  args->at = of_conversion;
  return p;
}

static const char *parse_width(const char *p, struct conv *c, struct args *args) {
  int width;
  if (*p != '*')
    return parse_number(p, &c->width);
  p = star(p, args, &width);
  if (width < 0)
    c->flags |= LEFT;
  c->width = width < 0 ? -(size_t)width : (size_t)width;
  return p;
}

static const char *parse_precision(const char *p, struct conv *c, struct args *args) {
  if (*p != '.')
    return p;
  c->flags |= PRECISION;
  if (p[1] != '*')
    return parse_number(p + 1, &c->precision);
  int precision;
  p = star(p + 1, args, &precision);
  if (precision < 0)
    c->flags &= ~(unsigned)PRECISION;
  else
    c->precision = (size_t)precision;
  return p;
}

static const char *parse_length(const char *p, struct conv *c) {
  c->bytes = sizeof(int);
  switch (*p) {
  case 'h':
    c->bytes = p[1] == 'h' ? 1 : 2;
    return p[1] == 'h' ? p + 2 : p + 1;
  case 'l':
    c->is_long = 1;
    c->bytes = p[1] == 'l' ? 8 : sizeof(long);
    return p[1] == 'l' ? p + 2 : p + 1;
  case 'q': c->bytes = 8; return p + 1;
  case 'L': c->bytes = 8; c->is_long = 1; return p + 1;
  case 'j': c->bytes = sizeof(intmax_t); return p + 1;
  case 'z': case 'Z': c->bytes = sizeof(size_t); return p + 1;
  case 't': c->bytes = sizeof(ptrdiff_t); return p + 1;
  default: return p;
  }
}

/* Floats take a long double for 'L' only. */
static void convert_float_length(struct sink *to, struct conv *c, struct args *args, int long_double) {
  c->is_long = long_double;
  convert_float(to, c, args);
}

static void convert(struct sink *to, struct conv *c, struct args *args, int long_double) {
  switch (c->letter) {
  case 'd': case 'i': convert_signed(to, c, args); break;
  case 'u': convert_unsigned(to, c, args); break;
  case 'X': c->flags |= UPPER; convert_hex(to, c, args); break;
  case 'x': convert_hex(to, c, args); break;
  case 'o': convert_octal(to, c, args); break;
  case 'b': case 'B': convert_binary(to, c, args); break;
  case 'p': convert_pointer(to, c, args); break;
  case 'C': c->is_long = 1; convert_char(to, c, args); break;
  case 'c': convert_char(to, c, args); break;
  case 'S': c->is_long = 1; convert_string(to, c, args); break;
  case 's': convert_string(to, c, args); break;
  case 'n': store_count(to, c, args); break;
  case 'm': { const char *text = strerror(errno); put_text(to, c, text, strlen(text)); break; }
  case '%': put(to, "%", 1); break;
  case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
    convert_float_length(to, c, args, long_double);
    break;
  default: __blitz_unsupported("conversion of printf");
  }
}

/* What the arguments of a format with positions are: 'd' int, 'l' 8 bytes, 'p' pointer, 'f' double, 'L' long double, 0 nobody asks. */
static const char *note_star(const char *p, char *types) {
  int at;
  if (*p != '*')
    return parse_number(p, &(size_t){0});
  p = parse_position(p + 1, &at);
  if (at != 0)
    types[at - 1] = 'd';
  return p;
}

static void note_types(const char *p, char *types) {
  for (p = strchrnul(p, '%'); *p != 0; p = strchrnul(p, '%')) {
    struct conv c = {0};
    int at;
    if (*++p == '%') {
      p++;
      continue;
    }
    p = parse_position(p, &at);
    p = note_star(parse_flags(p, &c), types);
    if (*p == '.')
      p = note_star(p + 1, types);
    int long_double = *p == 'L';
    p = parse_length(p, &c);
    if (at != 0)
      types[at - 1] = strchr("aAeEfFgG", *p) ? (long_double ? 'L' : 'f') : strchr("sSpn", *p) ? 'p' : c.bytes == 8 && !strchr("cC", *p) ? 'l' : 'd';
    p += *p != 0;
  }
}

static void take_values(va_list list, const char *types, union value *values) {
  for (int i = 0; i < POSITIONS && types[i] != 0; i++)
    switch (types[i]) {
    case 'd': values[i].integer = va_arg(list, int); break;
    case 'l': values[i].integer = va_arg(list, int64_t); break;
    case 'p': values[i].pointer = va_arg(list, const void *); break;
    case 'f': values[i].narrow = va_arg(list, double); break;
    default: values[i].wide = va_arg(list, long double); break;
    }
}

/* Everything the format says, into the sink. The result is the number of bytes, or -1 if a stream failed. */
int __blitz_format(struct sink *to, const char *format, va_list list) {
  struct args args = {0};
  union value values[POSITIONS];
  va_copy(args.list, list);
  const char *p = format;
  size_t end = strlen(format);
  if (__blitz_scan(format, '$', end) != end) {
    char types[POSITIONS] = {0};
    note_types(format, types);
    if (types[0] != 0) {
      take_values(args.list, types, values);
      args.values = values;
    }
  }
  for (;;) {
    size_t plain = __blitz_scan(p, '%', end - (size_t)(p - format));
    if (plain != 0 && is_wide(to))
      put_characters(to, to->format + (p - format), plain);
    else if (plain != 0)
      put(to, p, plain);
    p += plain;
    if (*p == 0)
      break;
    struct conv c = {0};
    p++;
    if (args.values != NULL && *p != '%')
      p = parse_position(p, &args.at);
    p = parse_flags(p, &c);
    p = parse_width(p, &c, &args);
    p = parse_precision(p, &c, &args);
    int long_double = *p == 'L';
    p = parse_length(p, &c);
    c.letter = *p;
    if (c.letter == 0)
      break;
    p++;
    convert(to, &c, &args, long_double);
  }
  va_end(args.list);
  if (to->failed)
    return fail(EILSEQ);
  return to->f != NULL && to->f->_flags & STREAM_ERROR ? -1 : (int)to->at;
}

int vfprintf(FILE *restrict f, const char *restrict format, va_list args) {
  struct sink to = {.f = f};
  __blitz_check_read(f, sizeof *f);
  if (!byte_stream(f))
    return -1;
  return __blitz_format(&to, format, args);
}

int vprintf(const char *restrict format, va_list args) { return vfprintf(stdout, format, args); }

int vsnprintf(char *restrict buf, size_t size, const char *restrict format, va_list args) {
  struct sink to = {.mem = buf, .size = size == SIZE_MAX ? SIZE_MAX - 1 : size};
  int n = __blitz_format(&to, format, args);
  if (size != 0)
    buf[to.at < size ? to.at : size - 1] = 0;
  return n;
}

int vsprintf(char *restrict buf, const char *restrict format, va_list args) {
  struct sink to = {.mem = buf, .size = SIZE_MAX};
  int n = __blitz_format(&to, format, args);
  buf[to.at] = 0;
  return n;
}

int vasprintf(char **restrict out, const char *restrict format, va_list args) {
  struct sink count = {0};
  int n = __blitz_format(&count, format, args);
  char *text = malloc((size_t)n + 1);
  if (text == NULL)
    return -1;
  struct sink to = {.mem = text, .size = (size_t)n + 1};
  __blitz_format(&to, format, args);
  text[n] = 0;
  *out = text;
  return n;
}

int vdprintf(int fd, const char *restrict format, va_list args) {
  FILE *f = fdopen(fd, "w");
  int n = vfprintf(f, format, args);
  fflush(f);
  f->_fileno = -1;
  fclose(f);
  return n;
}

#define FORWARD(call)                                                                                                  \
  va_list args;                                                                                                        \
  va_start(args, format);                                                                                              \
  int n = call;                                                                                                        \
  va_end(args);                                                                                                        \
  return n

int printf(const char *restrict format, ...) { FORWARD(vfprintf(stdout, format, args)); }
int fprintf(FILE *restrict f, const char *restrict format, ...) { FORWARD(vfprintf(f, format, args)); }
int sprintf(char *restrict buf, const char *restrict format, ...) { FORWARD(vsprintf(buf, format, args)); }
int snprintf(char *restrict buf, size_t size, const char *restrict format, ...) {
  FORWARD(vsnprintf(buf, size, format, args));
}
int asprintf(char **restrict out, const char *restrict format, ...) { FORWARD(vasprintf(out, format, args)); }
int __asprintf(char **restrict out, const char *restrict format, ...) { FORWARD(vasprintf(out, format, args)); }
int dprintf(int fd, const char *restrict format, ...) { FORWARD(vdprintf(fd, format, args)); }

/* What _FORTIFY_SOURCE calls. */
int __printf_chk(int flag, const char *restrict format, ...) { FORWARD(vfprintf(stdout, format, args)); }
int __fprintf_chk(FILE *f, int flag, const char *restrict format, ...) { FORWARD(vfprintf(f, format, args)); }
int __sprintf_chk(char *buf, int flag, size_t room, const char *restrict format, ...) {
  FORWARD(vsprintf(buf, format, args));
}
int __snprintf_chk(char *buf, size_t size, int flag, size_t room, const char *restrict format, ...) {
  FORWARD(vsnprintf(buf, size, format, args));
}
int __asprintf_chk(char **out, int flag, const char *restrict format, ...) { FORWARD(vasprintf(out, format, args)); }
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list args) { return vfprintf(f, format, args); }
int __vprintf_chk(int flag, const char *format, va_list args) { return vfprintf(stdout, format, args); }
int __vsprintf_chk(char *buf, int flag, size_t room, const char *format, va_list args) {
  return vsprintf(buf, format, args);
}
int __vsnprintf_chk(char *buf, size_t size, int flag, size_t room, const char *format, va_list args) {
  return vsnprintf(buf, size, format, args);
}
int __vasprintf_chk(char **out, int flag, const char *format, va_list args) { return vasprintf(out, format, args); }
