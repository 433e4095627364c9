/* The scanf family.
 *
 * One reader for strings and streams, byte by byte as the standard describes it. Two shortcuts keep checking cheap
 * on modelled standard input: a word (%s) is read in one bulk operation, and a decimal number (%d) is an input of its
 * own that stands for its text (see docs/libc.md, inputs); where any number of blanks is skipped there is at most one. Absent: positional arguments, wide characters beyond ASCII.
 * direction: exact; texts with many blanks are more */
#define _GNU_SOURCE
#include "libc.h"
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

/* Where the text comes from; at most one byte is looked at ahead. */
struct source {
  const char *text; /* null for a stream whose bytes are not in memory */
  const char *end;  /* of the bytes of a file; null for a text, which ends with a zero */
  FILE *f;
  size_t used;
  int ended;
};

static int next(struct source *s) {
  int c = s->text ? __blitz_peek(s->text, 0) : fgetc(s->f);
  if (s->text && (s->end ? s->text == s->end : c == 0))
    c = EOF;
  if (s->text && c != EOF)
    s->text++;
  if (c == EOF)
    s->ended = 1;
  else
    s->used++;
  return c;
}

static void back(struct source *s, int c) {
  if (c == EOF)
    return;
  s->used--;
  if (s->text)
    s->text--;
  else
    ungetc(c, s->f);
}

/* Whether a text is over. A file is then at its end for whoever asks. */
static int over(struct source *s) {
  if (s->end == NULL)
    return __blitz_peek(s->text, 0) == 0;
  s->ended |= s->text == s->end;
  return s->text == s->end;
}

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void advance(struct source *s, size_t n) {
  s->text += n;
  s->used += n;
}

/* The blanks that are followed one by one in a text, at once. */
enum { BLANKS = 4 };

/* Beyond some blanks of a text that is open, a symbolic execution goes on anywhere behind them; a run is exact. */
static void skip_in_text(struct source *s) {
  size_t n = 0;
  _Bool on = 1;
  unsigned char open = 0;
  for (unsigned i = 0; i < BLANKS; i++) {
    unsigned char c = __blitz_peek(s->text, i);
    on &= (c == ' ') | ((unsigned)c - '\t' < 5);
    open |= c;
    n += on;
  }
  advance(s, n);
  if (!on || !is_space(__blitz_peek(s->text, 0)))
    return;
  size_t guess = GUESSES ? __blitz_input_size("(guess) blanks") : 0;
  if (GUESSES && __blitz_open(open)) {
    __blitz_more("scanf: after many blanks the text goes on anywhere");
    __blitz_assume(guess <= __blitz_scan(s->text, 0, SIZE_MAX));
    advance(s, guess);
    __blitz_assume(!is_space(__blitz_peek(s->text, 0)));
    return;
  }
  while (is_space((unsigned char)*s->text))
    advance(s, 1);
}

static void skip_space(struct source *s) {
  int c;
  if (s->text == NULL && __blitz_number_input(s->f)) {
    /* Fresh input: one blank stands for any number of them. */
    c = next(s);
    if (is_space(c)) {
      c = next(s);
      __blitz_assume(!is_space(c));
    }
    back(s, c);
    return;
  }
  if (s->text != NULL) {
    skip_in_text(s);
    over(s);
    return;
  }
  unsigned i = 0;
  do {
    CUT(i++, 4, "more than 4 blanks in scanf");
    c = next(s);
  } while (is_space(c));
  back(s, c);
}

/* One conversion: %[*][width][length]letter. */
struct conv {
  int suppress, allocate, has_width, bytes, is_long;
  size_t width;
  char letter;
};

struct args {
  va_list list;
};

enum outcome { DONE, NO_MATCH, AT_END, NO_MEMORY };

static void store_integer(struct args *args, const struct conv *c, uint64_t value) {
  if (c->suppress)
    return;
  void *p = va_arg(args->list, void *);
  switch (c->bytes) {
  case 1: *(uint8_t *)p = (uint8_t)value; break;
  case 2: *(uint16_t *)p = (uint16_t)value; break;
  case 8: *(uint64_t *)p = value; break;
  default: *(uint32_t *)p = (uint32_t)value; break;
  }
}

static unsigned digit_value(int c) {
  unsigned letter = ((unsigned)c | 32u) - 'a', digit = (unsigned)c - '0';
  return digit < 10 ? digit : letter < 26 ? letter + 10 : 99;
}

/* The text of an integer as scanf accepts it, into buf; its length. */
static size_t collect_integer(struct source *s, char *buf, size_t room, unsigned base, size_t width) {
  size_t n = 0;
  int c = next(s);
  if ((c == '-' || c == '+') && n < width) {
    buf[n++] = (char)c;
    c = n < width ? next(s) : EOF;
    if (n >= width)
      return n;
  }
  size_t digits = n;
  while (c != EOF && n < width) {
    CUT(n, 24, "a number of more than 24 characters");
    int prefix = n == digits + 1 && buf[digits] == '0' && (c == 'x' || c == 'X') && (base == 0 || base == 16);
    unsigned now = base != 0 ? base : n > digits && buf[digits] == '0' ? 8 : 10;
    if (prefix)
      base = 16;
    else if (digit_value(c) >= now)
      break;
    if (n < room - 1)
      buf[n] = (char)c;
    n++;
    if (n >= width)
      return n;
    c = next(s);
  }
  back(s, c);
  return n;
}

/* Standard input of the modelled environment: the number is the input. */
static int fresh_number(struct source *s, const struct conv *c) {
  return s->text == NULL && !c->has_width && s->f->_IO_read_ptr >= s->f->_IO_read_end &&
         __blitz_number_input(s->f);
}

static enum outcome read_number_input(struct source *s, const struct conv *c, struct args *args) {
  int64_t value;
  int got = __blitz_read_number(s->f, c->bytes, c->letter != 'u', &value);
  if (got < 0)
    return AT_END;
  if (got == 0)
    return NO_MATCH;
  store_integer(args, c, (uint64_t)value);
  s->used++;
  return DONE;
}

static uint64_t convert_integer(const char *text, char **end, const struct conv *c, int base, int is_signed) {
  int code = errno;
  uint64_t value = __blitz_parse_integer(text, end, base, is_signed, c->bytes);
  errno = code;
  return value;
}

/* In a text, and without a width, the number is what strtol takes. */
static enum outcome read_integer_in_text(struct source *s, const struct conv *c, struct args *args, int base, int is_signed) {
  char *end;
  uint64_t value = convert_integer(s->text, &end, c, base, is_signed);
  if (end == s->text) {
    skip_space(s);
    if (over(s))
      return AT_END;
    /* A sign is read before it is seen that nothing follows. */
    unsigned char sign = __blitz_peek(s->text, 0);
    advance(s, (sign == '-') | (sign == '+'));
    return NO_MATCH;
  }
  advance(s, (size_t)(end - s->text));
  over(s);
  store_integer(args, c, value);
  return DONE;
}

static enum outcome read_integer(struct source *s, const struct conv *c, struct args *args, int base, int is_signed) {
  if (base == 10 && fresh_number(s, c))
    return read_number_input(s, c, args);
  if (s->text != NULL && !c->has_width && (base == 10 || base == 8))
    return read_integer_in_text(s, c, args, base, is_signed);
  char text[72];
  skip_space(s);
  size_t before = s->used;
  size_t n = collect_integer(s, text, sizeof text, (unsigned)base, c->has_width ? c->width : SIZE_MAX);
  if (s->ended && s->used == before && n == 0)
    return AT_END;
  text[n < sizeof text ? n : sizeof text - 1] = 0;
  if (n == 0 || (n == 1 && digit_value(text[0]) > 9 && digit_value(text[0]) >= (unsigned)(base ? base : 10)))
    return NO_MATCH;
  store_integer(args, c, convert_integer(text, NULL, c, base, is_signed));
  return DONE;
}

static enum outcome read_pointer(struct source *s, const struct conv *c, struct args *args) {
  struct conv wide = *c;
  wide.bytes = sizeof(void *);
  return read_integer(s, &wide, args, 16, 0);
}

/* The letters of "inf", "infinity" or "nan" behind the first one; whether all are there. As in glibc, the first that differs is read. */
static int collect_letters(struct source *s, char *buf, size_t *n, const char *letters, size_t width) {
  for (; *letters != 0; letters++) {
    int c = *n < width ? next(s) : EOF;
    if ((c | 32) != *letters)
      return 0;
    buf[(*n)++] = (char)c;
  }
  return 1;
}

/* "nan", "inf" or "infinity" whose first letter is in the text; whether it is one of them. */
static int collect_name(struct source *s, char *buf, size_t *n, size_t width) {
  if ((buf[*n - 1] | 32) == 'n')
    return collect_letters(s, buf, n, "an", width);
  if (!collect_letters(s, buf, n, "nf", width))
    return 0;
  int c = *n < width ? next(s) : EOF;
  if ((c | 32) != 'i') {
    if (*n < width)
      back(s, c);
    return 1;
  }
  buf[(*n)++] = (char)c;
  return collect_letters(s, buf, n, "nity", width);
}

/* Text of a floating-point number: what can be part of one, as long as it can; 0 if it begins like one and is none. */
static int collect_float(struct source *s, char *buf, size_t room, size_t width) {
  size_t n = 0;
  int seen_digit = 0, seen_point = 0, seen_exponent = 0, hex = 0;
  for (int c; n < width && n < room - 1; n++) {
    CUT(n, 24, "a number of more than 24 characters");
    c = next(s);
    int sign = (c == '-' || c == '+') && (n == 0 || (seen_exponent && (buf[n - 1] | 32) == (hex ? 'p' : 'e')));
    int digit = (c >= '0' && c <= '9') || (hex && !seen_exponent && digit_value(c) < 16);
    int point = c == '.' && !seen_point && !seen_exponent;
    int prefix = (c | 32) == 'x' && !hex && n > 0 && buf[n - 1] == '0' && (n == 1 || (n == 2 && seen_digit));
    int exponent = (c | 32) == (hex ? 'p' : 'e') && seen_digit && !seen_exponent;
    int first = n == 0 || (n == 1 && (buf[0] == '-' || buf[0] == '+'));
    if (first && ((c | 32) == 'i' || (c | 32) == 'n')) {
      buf[n++] = (char)c;
      int whole = collect_name(s, buf, &n, width);
      buf[n] = 0;
      return whole;
    }
    if (!(sign || digit || point || prefix || exponent)) {
      back(s, c);
      break;
    }
    seen_digit |= digit;
    seen_point |= point;
    seen_exponent |= exponent;
    hex |= prefix;
    buf[n] = (char)c;
  }
  buf[n] = 0;
  return !hex || (buf[n - 1] | 32) != 'x';
}

static enum outcome read_float(struct source *s, const struct conv *c, struct args *args, int long_double) {
  char text[512];
  skip_space(s);
  if (!collect_float(s, text, sizeof text, c->has_width ? c->width : SIZE_MAX))
    return NO_MATCH;
  if (text[0] == 0)
    return s->ended ? AT_END : NO_MATCH;
  long double value;
  int kind = long_double ? 2 : c->is_long ? 1 : 0;
  if (__blitz_parse_float(text, &value, kind) == 0)
    return NO_MATCH;
  if (__blitz_locales[LC_NUMERIC] != LOCALE_C)
    __blitz_fewer("scanf: the decimal point of locales other than \"C\"");
  __blitz_text_is_rounded();
  if (!c->suppress)
    memcpy(va_arg(args->list, void *), &value, kind == 2 ? sizeof(long double) : kind == 1 ? 8 : 4);
  return DONE;
}

/* A destination of characters: given by the caller, or allocated ('m'); of wide ones ('l') each byte is one, in a text that is narrowed or ASCII. */
struct target {
  char *p;
  char **out;
  size_t n, room;
  int wide, failed;
};

static wchar_t as_wide(int c) {
  if (c > 127)
    __blitz_unsupported("scanf: wide characters beyond ASCII (%ls)");
  return c;
}

static struct target open_target(const struct conv *c, struct args *args) {
  struct target t = {.wide = c->is_long};
  if (c->suppress)
    return t;
  if (c->allocate && c->is_long)
    __blitz_unsupported("scanf: wide characters that are allocated (%mls)");
  if (!c->allocate) {
    t.p = va_arg(args->list, char *);
    return t;
  }
  t.out = va_arg(args->list, char **);
  t.room = 32;
  t.p = malloc(t.room);
  t.failed = t.p == NULL;
  *t.out = t.p;
  return t;
}

static void add(struct target *t, int c) {
  if (t->out != NULL && !t->failed && t->n == t->room) {
    char *p = realloc(t->p, t->room * 2);
    if (p == NULL)
      free(t->p);
    t->failed = p == NULL;
    t->room *= 2;
    t->p = p;
    *t->out = p;
  }
  if (t->p != NULL && t->wide)
    ((wchar_t *)t->p)[t->n] = as_wide(c);
  else if (t->p != NULL)
    t->p[t->n] = (char)c;
  t->n++;
}

/* Nothing was read: what was allocated for it is given back. */
static enum outcome drop_target(struct target *t, enum outcome why) {
  if (t->out != NULL && !t->failed) {
    free(t->p);
    *t->out = NULL;
  }
  return t->failed ? NO_MEMORY : why;
}

/* What was allocated is made as long as it has to be, if that can be had. */
static enum outcome close_target(struct target *t) {
  if (t->failed)
    return NO_MEMORY;
  if (t->out != NULL && t->n < t->room) {
    char *p = realloc(t->p, t->n);
    if (p != NULL)
      *t->out = p;
  }
  return DONE;
}

static enum outcome read_chars(struct source *s, const struct conv *c, struct args *args) {
  size_t want = c->has_width ? c->width : 1;
  struct target t = open_target(c, args);
  for (size_t i = 0; i < want; i++) {
    CUT(i, 256, "more than 256 characters in scanf");
    int byte = next(s);
    if (byte == EOF)
      return i == 0 ? drop_target(&t, AT_END) : close_target(&t);
    add(&t, byte);
  }
  return close_target(&t);
}

/* The next n characters of a text at once. */
static enum outcome take(struct source *s, const struct conv *c, struct args *args, size_t n) {
  if (n == 0)
    return over(s) ? AT_END : NO_MATCH;
  if (!c->suppress) {
    char *p = va_arg(args->list, char *);
    memcpy(p, s->text, n);
    p[n] = 0;
  }
  advance(s, n);
  return DONE;
}

/* How many bytes of a text belong to a word; of a short one at once. */
enum { WORD = 32 };
static size_t word_length(const char *text, size_t want) {
  if (want > WORD)
    return strcspn(text, " \t\n\v\f\r");
  size_t n = 0;
  _Bool on = 1;
  for (size_t i = 0; i < want; i++) {
    unsigned char c = __blitz_peek(text, i);
    on &= (c != 0) & (c != ' ') & ((unsigned)c - '\t' >= 5);
    n += on;
  }
  return n;
}

static enum outcome read_word(struct source *s, const struct conv *c, struct args *args) {
  size_t want = c->has_width ? c->width : SIZE_MAX;
  if (s->text == NULL && !c->allocate && !c->suppress && !c->is_long && s->f->_IO_read_ptr >= s->f->_IO_read_end &&
      __blitz_number_input(s->f)) {
    char *p = va_arg(args->list, char *);
    size_t n = __blitz_read_word(s->f, p, want);
    s->used += n;
    return n == 0 ? AT_END : DONE;
  }
  skip_space(s);
  if (s->text != NULL && !c->allocate && !c->is_long) {
    size_t n = word_length(s->text, want);
    if (s->end != NULL && n < want && __blitz_peek(s->text, n) == 0 && s->text + n != s->end)
      __blitz_unsupported("fscanf: a word with a zero inside");
    enum outcome outcome = take(s, c, args, n < want ? n : want);
    if (n < want)
      over(s);
    return outcome;
  }
  struct target t = open_target(c, args);
  for (; t.n < want;) {
    CUT(t.n, 256, "a word of more than 256 characters in scanf");
    int byte = next(s);
    if (byte == EOF || is_space(byte)) {
      back(s, byte);
      break;
    }
    add(&t, byte);
  }
  if (t.n == 0)
    return drop_target(&t, AT_END);
  add(&t, 0);
  return close_target(&t);
}

/* The set of %[...]: one flag per byte; returns where the conversion ends. */
static const char *parse_set(const char *p, unsigned char set[256]) {
  int inverted = *p == '^';
  p += inverted;
  memset(set, inverted, 256);
  const char *first = p;
  for (; *p != 0 && (*p != ']' || p == first); p++) {
    if (p[0] == '-' && p != first && p[1] != ']' && p[1] != 0 && (unsigned char)p[-1] <= (unsigned char)p[1])
      for (unsigned c = (unsigned char)p[-1]; c <= (unsigned char)p[1]; c++)
        set[c] = (unsigned char)!inverted;
    else
      set[(unsigned char)*p] = (unsigned char)!inverted;
  }
  return *p == ']' ? p + 1 : p;
}

static enum outcome read_set(struct source *s, const struct conv *c, struct args *args, const unsigned char set[256]) {
  size_t want = c->has_width ? c->width : SIZE_MAX;
  struct target t = open_target(c, args);
  int byte = 0;
  while (t.n < want) {
    CUT(t.n, 256, "more than 256 characters in scanf");
    byte = next(s);
    if (byte == EOF || !set[byte]) {
      back(s, byte);
      break;
    }
    add(&t, byte);
  }
  if (t.n == 0)
    return drop_target(&t, byte == EOF ? AT_END : NO_MATCH);
  add(&t, 0);
  return close_target(&t);
}

static const char *parse_length(const char *p, struct conv *c, int *long_double) {
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
  case 'L': c->bytes = 8; *long_double = 1; return p + 1;
  case 'j': c->bytes = sizeof(intmax_t); return p + 1;
  case 'z': c->bytes = sizeof(size_t); return p + 1;
  case 't': c->bytes = sizeof(ptrdiff_t); return p + 1;
  default: return p;
  }
}

static const char *parse_conv(const char *p, struct conv *c, int *long_double) {
  if (*p == '*') {
    c->suppress = 1;
    p++;
  }
  for (; *p >= '0' && *p <= '9'; p++) {
    c->has_width = 1;
    c->width = c->width * 10 + (size_t)(*p - '0');
  }
  if (*p == '$')
    __blitz_unsupported("positional arguments of scanf (%n$)");
  if (*p == 'm') {
    c->allocate = 1;
    p++;
  }
  p = parse_length(p, c, long_double);
  c->letter = *p;
  return *p ? p + 1 : p;
}

static enum outcome read_literal(struct source *s, char c) {
  if (s->text != NULL) {
    size_t here = !over(s) & (__blitz_peek(s->text, 0) == (unsigned char)c);
    enum outcome missed = (enum outcome)__blitz_choose(over(s), AT_END, NO_MATCH);
    advance(s, here);
    return (enum outcome)__blitz_choose((int)here, DONE, missed);
  }
  int byte = next(s);
  if (byte == (unsigned char)c)
    return DONE;
  back(s, byte);
  return byte == EOF ? AT_END : NO_MATCH;
}

static enum outcome convert(struct source *s, struct conv *c, struct args *args, int long_double) {
  switch (c->letter) {
  case 'd': return read_integer(s, c, args, 10, 1);
  case 'i': return read_integer(s, c, args, 0, 1);
  case 'u': return read_integer(s, c, args, 10, 0);
  case 'o': return read_integer(s, c, args, 8, 0);
  case 'x': case 'X': return read_integer(s, c, args, 16, 0);
  case 'p': return read_pointer(s, c, args);
  case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
    return read_float(s, c, args, long_double);
  case 'c': return read_chars(s, c, args);
  case 's': return read_word(s, c, args);
  case 'C': c->is_long = 1; return read_chars(s, c, args);
  case 'S': c->is_long = 1; return read_word(s, c, args);
  case '%': skip_space(s); return read_literal(s, '%');
  default: __blitz_unsupported("conversion of scanf");
  }
}

/* The number of conversions stored, or EOF if the text ended before the first. */
static int scan(struct source *s, const char *format, va_list list) {
  struct args args;
  va_copy(args.list, list);
  int stored = 0, allocated = 0;
  enum outcome outcome = DONE;
  for (const char *p = format; *p != 0 && outcome == DONE;) {
    if (is_space((unsigned char)*p)) {
      skip_space(s);
      p++;
      continue;
    }
    if (*p != '%') {
      outcome = read_literal(s, *p++);
      continue;
    }
    struct conv c = {0};
    int long_double = 0;
    p = parse_conv(p + 1, &c, &long_double);
    allocated += c.allocate && !c.suppress;
    if (c.letter == 'n') {
      store_integer(&args, &c, s->used);
    } else if (c.letter == '[') {
      unsigned char set[256];
      p = parse_set(p, set);
      outcome = read_set(s, &c, &args, set);
      stored += outcome == DONE && !c.suppress;
    } else {
      outcome = convert(s, &c, &args, long_double);
      stored += outcome == DONE && !c.suppress && c.letter != '%';
    }
  }
  va_end(args.list);
  if (outcome == NO_MEMORY && allocated > 1)
    __blitz_unsupported("scanf: no memory for one of several texts that are allocated (%ms)");
  return outcome == NO_MEMORY || (outcome == AT_END && stored == 0) ? EOF : stored;
}

int __blitz_scan_stream(FILE *f, const char *format, va_list args) {
  size_t size = 0;
  struct source s = {.f = f, .text = __blitz_stream_text(f, &size)};
  if (s.text == NULL)
    return scan(&s, format, args);
  s.end = s.text + size;
  int n = scan(&s, format, args);
  __blitz_stream_skip(f, s.used);
  if (s.ended)
    f->_flags |= STREAM_EOF;
  return n;
}

/* glibc looks for the end of the text before anything else, so all of it is read. */
int __blitz_scan_text(const char *text, const char *format, va_list args) {
  strlen(text);
  struct source s = {.text = text};
  return scan(&s, format, args);
}

#define FORWARD(call)                                                                                                  \
  va_list args;                                                                                                        \
  va_start(args, format);                                                                                              \
  int n = call;                                                                                                        \
  va_end(args);                                                                                                        \
  return n

/* glibc's headers rename the standard functions, differently by version: every name is defined here by its symbol. */
#define FAMILY(tag, prefix)                                                                                            \
  int tag##1(const char *format, ...) __asm__(prefix "scanf");                                                         \
  int tag##1(const char *format, ...) { FORWARD(__blitz_scan_stream(stdin, format, args)); }                                   \
  int tag##2(FILE *f, const char *format, ...) __asm__(prefix "fscanf");                                               \
  int tag##2(FILE *f, const char *format, ...) { FORWARD(__blitz_scan_stream(f, format, args)); }                              \
  int tag##3(const char *s, const char *format, ...) __asm__(prefix "sscanf");                                         \
  int tag##3(const char *s, const char *format, ...) { FORWARD(__blitz_scan_text(s, format, args)); }                          \
  int tag##4(const char *format, va_list args) __asm__(prefix "vscanf");                                               \
  int tag##4(const char *format, va_list args) { return __blitz_scan_stream(stdin, format, args); }                            \
  int tag##5(FILE *f, const char *format, va_list args) __asm__(prefix "vfscanf");                                     \
  int tag##5(FILE *f, const char *format, va_list args) { return __blitz_scan_stream(f, format, args); }                       \
  int tag##6(const char *s, const char *format, va_list args) __asm__(prefix "vsscanf");                               \
  int tag##6(const char *s, const char *format, va_list args) { return __blitz_scan_text(s, format, args); }

FAMILY(plain, "")
FAMILY(isoc99, "__isoc99_")
FAMILY(isoc23, "__isoc23_")
