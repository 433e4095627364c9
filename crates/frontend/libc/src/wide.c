/* Wide characters and streams: formatted output and input, lines, single characters.
 *
 * A wide format is narrowed (what is not ASCII cannot be part of a conversion) and goes to the interpreter of formats in printf.c, whose sink then takes characters. Texts that are read are
 * narrowed as a whole: in them characters beyond ASCII are followed in UTF-8 only.
 * direction: exact, but that output never fails */
#define _GNU_SOURCE
#include "libc.h"
#include <alloca.h>
#include <locale.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* Whether a stream may be used for characters: one that was used for bytes may not. */
static int wide_stream(FILE *f) {
  __blitz_check_read(f, sizeof *f);
  if (f->_mode < 0)
    return 0;
  f->_mode = 1;
  return 1;
}

int fwide(FILE *f, int mode) {
  if (f->_mode == 0 && mode != 0)
    f->_mode = mode < 0 ? -1 : 1;
  return f->_mode;
}

/* Single characters. */

static wint_t no_character(FILE *f) {
  f->_flags |= STREAM_ERROR;
  errno = EILSEQ;
  return WEOF;
}

wint_t fgetwc(FILE *f) {
  if (!wide_stream(f))
    return WEOF;
  mbstate_t state = {0};
  for (int i = 0; i < 4; i++) {
    int c = fgetc(f);
    if (c == EOF)
      return i == 0 ? WEOF : no_character(f);
    if (i == 0 && c < 128)
      return (wint_t)c;
    char byte = (char)c;
    wchar_t wide = 0;
    size_t got = mbrtowc(&wide, &byte, 1, &state);
    if (got == (size_t)-1)
      return no_character(f);
    if (got != (size_t)-2)
      return (wint_t)wide;
  }
  return no_character(f);
}
wint_t getwc(FILE *f) { return fgetwc(f); }
wint_t getwchar(void) { return fgetwc(stdin); }
wint_t fgetwc_unlocked(FILE *f) { return fgetwc(f); }
wint_t getwc_unlocked(FILE *f) { return fgetwc(f); }
wint_t getwchar_unlocked(void) { return fgetwc(stdin); }

wint_t ungetwc(wint_t c, FILE *f) {
  char bytes[8];
  size_t n = c == WEOF ? (size_t)-1 : wcrtomb(bytes, (wchar_t)c, NULL);
  if (n == (size_t)-1 || !wide_stream(f))
    return WEOF;
  while (n > 0)
    ungetc((unsigned char)bytes[--n], f);
  return c;
}

/* What the locale has not is written as a question mark by glibc's streams. */
wint_t fputwc(wchar_t c, FILE *f) {
  if (!wide_stream(f))
    return WEOF;
  char bytes[8];
  size_t n = wcrtomb(bytes, c, NULL);
  if (n == (size_t)-1) {
    bytes[0] = '?';
    n = 1;
  }
  return __blitz_stream_write(f, bytes, n) == n ? (wint_t)c : WEOF;
}
wint_t putwc(wchar_t c, FILE *f) { return fputwc(c, f); }
wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
wint_t fputwc_unlocked(wchar_t c, FILE *f) { return fputwc(c, f); }
wint_t putwc_unlocked(wchar_t c, FILE *f) { return fputwc(c, f); }
wint_t putwchar_unlocked(wchar_t c) { return fputwc(c, stdout); }

int fputws(const wchar_t *restrict s, FILE *restrict f) {
  if (!wide_stream(f))
    return -1;
  size_t n = wcslen(s);
  if (__blitz_model && !__blitz_stream_keeps(f))
    return 1;
  for (size_t i = 0; i < n; i++)
    if (fputwc(s[i], f) == WEOF)
      return -1;
  return 1;
}
int fputws_unlocked(const wchar_t *restrict s, FILE *restrict f) { return fputws(s, f); }

/* Lines. In the modelled environment the bytes come in bulk where a character is a byte. */
static wchar_t *line_of_bytes(wchar_t *p, size_t room, FILE *f) {
  unsigned char *bytes = __blitz_heap_alloc(room);
  size_t got = __blitz_stream_line(f, bytes, room - 1, '\n');
  int strange = 0;
  for (size_t i = 0; i < room - 1 && i < got; i++) {
    p[i] = bytes[i];
    strange |= bytes[i] > 127;
  }
  __blitz_heap_free(bytes);
  if (strange)
    no_character(f);
  if (got == 0 || strange)
    return NULL;
  p[got] = 0;
  return p;
}

wchar_t *fgetws(wchar_t *restrict p, int n, FILE *restrict f) {
  if (n <= 0 || !wide_stream(f))
    return NULL;
  if (n == 1) {
    p[0] = 0;
    return p;
  }
  if (__blitz_model && __blitz_locales[LC_CTYPE] == LOCALE_C && f->_IO_read_ptr >= f->_IO_read_end)
    return line_of_bytes(p, (size_t)n, f);
  int i = 0;
  while (i < n - 1) {
    wint_t c = fgetwc(f);
    if (c == WEOF)
      break;
    p[i++] = (wchar_t)c;
    if (c == L'\n')
      break;
  }
  if (i == 0 || f->_flags & STREAM_ERROR)
    return NULL;
  p[i] = 0;
  return p;
}
wchar_t *fgetws_unlocked(wchar_t *restrict p, int n, FILE *restrict f) { return fgetws(p, n, f); }

/* The narrow format of a wide one: what is not ASCII is some byte that no conversion has. */
#define NARROW(to, from)                                                                                               \
  size_t to##_length = wcslen(from);                                                                                   \
  char *to = alloca(to##_length + 1);                                                                                  \
  for (size_t i = 0; i < to##_length; i++)                                                                             \
    to[i] = (unsigned)from[i] < 128 ? (char)from[i] : '\1';                                                            \
  to[to##_length] = 0

/* Formatted output. */

int vfwprintf(FILE *restrict f, const wchar_t *restrict format, va_list args) {
  if (!wide_stream(f))
    return -1;
  NARROW(narrow, format);
  struct sink to = {.f = f, .format = format, .size = SIZE_MAX};
  return __blitz_format(&to, narrow, args);
}

/* What does not fit is a failure here. */
int vswprintf(wchar_t *restrict buf, size_t size, const wchar_t *restrict format, va_list args) {
  if (size == 0)
    return -1;
  NARROW(narrow, format);
  struct sink to = {.format = format, .wide = buf, .size = size};
  int n = __blitz_format(&to, narrow, args);
  buf[to.at < size ? to.at : size - 1] = 0;
  if (n >= 0 && (size_t)n >= size) {
    errno = EOVERFLOW;
    return -1;
  }
  return n;
}

#define FORWARD(call)                                                                                                  \
  va_list args;                                                                                                        \
  va_start(args, format);                                                                                              \
  int n = call;                                                                                                        \
  va_end(args);                                                                                                        \
  return n

int vwprintf(const wchar_t *restrict format, va_list args) { return vfwprintf(stdout, format, args); }
int wprintf(const wchar_t *restrict format, ...) { FORWARD(vfwprintf(stdout, format, args)); }
int fwprintf(FILE *restrict f, const wchar_t *restrict format, ...) { FORWARD(vfwprintf(f, format, args)); }
int swprintf(wchar_t *restrict buf, size_t size, const wchar_t *restrict format, ...) { FORWARD(vswprintf(buf, size, format, args)); }

/* What _FORTIFY_SOURCE calls. */
int __wprintf_chk(int flag, const wchar_t *restrict format, ...) { FORWARD(vfwprintf(stdout, format, args)); }
int __fwprintf_chk(FILE *f, int flag, const wchar_t *restrict format, ...) { FORWARD(vfwprintf(f, format, args)); }
int __swprintf_chk(wchar_t *buf, size_t size, int flag, size_t room, const wchar_t *restrict format, ...) { FORWARD(vswprintf(buf, size, format, args)); }
int __vwprintf_chk(int flag, const wchar_t *format, va_list args) { return vfwprintf(stdout, format, args); }
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list args) { return vfwprintf(f, format, args); }
int __vswprintf_chk(wchar_t *buf, size_t size, int flag, size_t room, const wchar_t *format, va_list args) { return vswprintf(buf, size, format, args); }

/* Formatted input: the text as bytes. What is not ASCII in it is refused, since a text in bytes counts otherwise. */

static int scan_wide(const wchar_t *text, const wchar_t *wide_format, va_list args) {
  size_t n = wcslen(text);
  char *bytes = __blitz_heap_alloc(n + 1);
  for (size_t i = 0; i < n; i++) {
    if ((unsigned)text[i] > 127)
      __blitz_unsupported("swscanf: characters beyond ASCII");
    bytes[i] = (char)text[i];
  }
  bytes[n] = 0;
  NARROW(format, wide_format);
  int got = __blitz_scan_text(bytes, format, args);
  __blitz_heap_free(bytes);
  return got;
}

static int scan_wide_stream(FILE *f, const wchar_t *wide_format, va_list args) {
  if (!wide_stream(f))
    return EOF;
  NARROW(format, wide_format);
  return __blitz_scan_stream(f, format, args);
}

/* glibc's headers rename them, as those for bytes. */
#define FAMILY(tag, prefix)                                                                                            \
  int tag##1(const wchar_t *format, ...) __asm__(prefix "wscanf");                                                     \
  int tag##1(const wchar_t *format, ...) { FORWARD(scan_wide_stream(stdin, format, args)); }                           \
  int tag##2(FILE *f, const wchar_t *format, ...) __asm__(prefix "fwscanf");                                           \
  int tag##2(FILE *f, const wchar_t *format, ...) { FORWARD(scan_wide_stream(f, format, args)); }                      \
  int tag##3(const wchar_t *s, const wchar_t *format, ...) __asm__(prefix "swscanf");                                  \
  int tag##3(const wchar_t *s, const wchar_t *format, ...) { FORWARD(scan_wide(s, format, args)); }                    \
  int tag##4(const wchar_t *format, va_list args) __asm__(prefix "vwscanf");                                           \
  int tag##4(const wchar_t *format, va_list args) { return scan_wide_stream(stdin, format, args); }                    \
  int tag##5(FILE *f, const wchar_t *format, va_list args) __asm__(prefix "vfwscanf");                                 \
  int tag##5(FILE *f, const wchar_t *format, va_list args) { return scan_wide_stream(f, format, args); }               \
  int tag##6(const wchar_t *s, const wchar_t *format, va_list args) __asm__(prefix "vswscanf");                        \
  int tag##6(const wchar_t *s, const wchar_t *format, va_list args) { return scan_wide(s, format, args); }

FAMILY(plain, "")
FAMILY(isoc99, "__isoc99_")
FAMILY(isoc23, "__isoc23_")

/* Dates: through the bytes. */
size_t wcsftime(wchar_t *restrict out, size_t room, const wchar_t *restrict format, const struct tm *restrict tm) {
  NARROW(narrow, format);
  for (size_t i = 0; i < narrow_length; i++)
    if (narrow[i] == '\1')
      __blitz_unsupported("wcsftime: a format with characters beyond ASCII");
  char *bytes = alloca(room + 1);
  size_t n = strftime(bytes, room, narrow, tm);
  for (size_t i = 0; i < n; i++)
    out[i] = (unsigned char)bytes[i];
  if (n < room)
    out[n] = 0;
  return n;
}
