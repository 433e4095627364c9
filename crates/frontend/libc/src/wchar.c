/* <wchar.h>, <wctype.h>: wide characters of the "C" locale, in which a byte below 128 is a character and others are none.
 * direction: exact in the "C" locale, which setlocale never leaves */
#define _GNU_SOURCE
#include "libc.h"
#include <ctype.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* Strings of wchar_t. */

size_t wcslen(const wchar_t *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

size_t wcsnlen(const wchar_t *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != 0)
    n++;
  return n;
}

wchar_t *wmemcpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) { return memcpy(dst, src, n * sizeof *dst); }
wchar_t *wmempcpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) { return wmemcpy(dst, src, n) + n; }
wchar_t *wmemmove(wchar_t *dst, const wchar_t *src, size_t n) { return memmove(dst, src, n * sizeof *dst); }
wchar_t *wmemset(wchar_t *dst, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++)
    dst[i] = c;
  return dst;
}
wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (s[i] == c)
      return (wchar_t *)s + i;
  return NULL;
}
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}
wchar_t *wcscpy(wchar_t *restrict dst, const wchar_t *restrict src) { return wmemcpy(dst, src, wcslen(src) + 1); }
wchar_t *wcpcpy(wchar_t *restrict dst, const wchar_t *restrict src) { return wcscpy(dst, src) + wcslen(src); }
wchar_t *wcsncpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) {
  size_t len = wcsnlen(src, n);
  wmemcpy(dst, src, len);
  wmemset(dst + len, 0, n - len);
  return dst;
}
wchar_t *wcscat(wchar_t *restrict dst, const wchar_t *restrict src) {
  wcscpy(dst + wcslen(dst), src);
  return dst;
}
wchar_t *wcsncat(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) {
  size_t at = wcslen(dst), len = wcsnlen(src, n);
  wmemcpy(dst + at, src, len);
  dst[at + len] = 0;
  return dst;
}
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
    if (a[i] == 0)
      break;
  }
  return 0;
}
int wcscmp(const wchar_t *a, const wchar_t *b) { return wcsncmp(a, b, SIZE_MAX); }
int wcscoll(const wchar_t *a, const wchar_t *b) { return wcsncmp(a, b, SIZE_MAX); }
wchar_t *wcschr(const wchar_t *s, wchar_t c) {
  for (;; s++) {
    if (*s == c)
      return (wchar_t *)s;
    if (*s == 0)
      return NULL;
  }
}
wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
  const wchar_t *found = NULL;
  for (;; s++) {
    if (*s == c)
      found = s;
    if (*s == 0)
      return (wchar_t *)found;
  }
}
wchar_t *wcsstr(const wchar_t *hay, const wchar_t *needle) {
  size_t m = wcslen(needle);
  for (;; hay++) {
    if (wcsncmp(hay, needle, m) == 0)
      return (wchar_t *)hay;
    if (*hay == 0)
      return NULL;
  }
}
wchar_t *wcsdup(const wchar_t *s) {
  size_t n = (wcslen(s) + 1) * sizeof *s;
  wchar_t *copy = malloc(n);
  return copy ? memcpy(copy, s, n) : NULL;
}

/* Bytes and characters. */

wint_t btowc(int c) { return c >= 0 && c < 128 ? (wint_t)c : WEOF; }
int wctob(wint_t c) { return c < 128 ? (int)c : EOF; }
int mbsinit(const mbstate_t *state) { return 1; }

size_t mbrtowc(wchar_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state) {
  if (s == NULL)
    return 0;
  if (n == 0)
    return (size_t)-2;
  if ((unsigned char)*s > 127) {
    errno = EILSEQ;
    return (size_t)-1;
  }
  if (out != NULL)
    *out = (unsigned char)*s;
  return *s != 0;
}
size_t mbrlen(const char *restrict s, size_t n, mbstate_t *restrict state) { return mbrtowc(NULL, s, n, state); }
int mbtowc(wchar_t *restrict out, const char *restrict s, size_t n) {
  int got = (int)mbrtowc(out, s, n, NULL);
  return got < 0 ? -1 : got;
}
int mblen(const char *s, size_t n) { return mbtowc(NULL, s, n); }

size_t wcrtomb(char *restrict s, wchar_t c, mbstate_t *restrict state) {
  if (s == NULL)
    return 1;
  if ((unsigned)c > 127) {
    errno = EILSEQ;
    return (size_t)-1;
  }
  *s = (char)c;
  return 1;
}
int wctomb(char *s, wchar_t c) { return s == NULL ? 0 : (int)wcrtomb(s, c, NULL); }

size_t mbsnrtowcs(wchar_t *restrict out, const char **restrict from, size_t bytes, size_t n, mbstate_t *restrict state) {
  const char *s = *from;
  size_t i = 0;
  for (; i < bytes && (out == NULL || i < n); i++) {
    if (out != NULL)
      out[i] = (unsigned char)s[i];
    if (s[i] == 0) {
      if (out != NULL)
        *from = NULL;
      return i;
    }
  }
  if (out != NULL)
    *from = s + i;
  return i;
}
size_t mbsrtowcs(wchar_t *restrict out, const char **restrict from, size_t n, mbstate_t *restrict state) {
  return mbsnrtowcs(out, from, SIZE_MAX, n, state);
}
size_t mbstowcs(wchar_t *restrict out, const char *s, size_t n) { return mbsrtowcs(out, &s, n, NULL); }

size_t wcsrtombs(char *restrict out, const wchar_t **restrict from, size_t n, mbstate_t *restrict state) {
  const wchar_t *s = *from;
  size_t i = 0;
  for (; out == NULL || i < n; i++) {
    if ((unsigned)s[i] > 255) {
      errno = EILSEQ;
      return (size_t)-1;
    }
    if (out != NULL)
      out[i] = (char)s[i];
    if (s[i] == 0) {
      if (out != NULL)
        *from = NULL;
      return i;
    }
  }
  *from = s + i;
  return i;
}
size_t wcstombs(char *restrict out, const wchar_t *s, size_t n) { return wcsrtombs(out, &s, n, NULL); }

/* A character takes one column, unless it cannot be printed. */
int wcwidth(wchar_t c) { return c == 0 ? 0 : c >= 32 && c < 127 ? 1 : -1; }
int wcswidth(const wchar_t *s, size_t n) {
  int width = 0;
  for (size_t i = 0; i < n && s[i] != 0; i++) {
    if (wcwidth(s[i]) < 0)
      return -1;
    width++;
  }
  return width;
}

/* Numbers: through the bytes. */
static size_t narrow(char *buf, size_t room, const wchar_t *s) {
  size_t i = 0;
  for (; i < room - 1 && s[i] > 0 && s[i] < 128; i++)
    buf[i] = (char)s[i];
  buf[i] = 0;
  return i;
}

#define FROM_WIDE(name, type, call)                                                                                    \
  type name(const wchar_t *restrict s, wchar_t **restrict end, int base) {                                             \
    char text[80], *stop;                                                                                              \
    narrow(text, sizeof text, s);                                                                                      \
    type value = call(text, &stop, base);                                                                              \
    if (end != NULL)                                                                                                   \
      *end = (wchar_t *)s + (stop - text);                                                                             \
    return value;                                                                                                      \
  }
FROM_WIDE(wcstol, long, strtol)
FROM_WIDE(wcstoul, unsigned long, strtoul)
FROM_WIDE(wcstoll, long long, strtoll)
FROM_WIDE(wcstoull, unsigned long long, strtoull)

double wcstod(const wchar_t *restrict s, wchar_t **restrict end) {
  char text[400], *stop;
  narrow(text, sizeof text, s);
  double value = strtod(text, &stop);
  if (end != NULL)
    *end = (wchar_t *)s + (stop - text);
  return value;
}

/* Streams. */
wint_t fgetwc(FILE *f) {
  int c = fgetc(f);
  return c == EOF ? WEOF : (wint_t)c;
}
wint_t getwc(FILE *f) { return fgetwc(f); }
wint_t getwchar(void) { return fgetwc(stdin); }
wint_t ungetwc(wint_t c, FILE *f) { return c == WEOF || ungetc((int)c, f) == EOF ? WEOF : c; }
wint_t fputwc(wchar_t c, FILE *f) { return fputc((int)c, f) == EOF ? WEOF : (wint_t)c; }
wint_t putwc(wchar_t c, FILE *f) { return fputwc(c, f); }
wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
int fputws(const wchar_t *restrict s, FILE *restrict f) {
  for (; *s != 0; s++)
    if (fputwc(*s, f) == WEOF)
      return -1;
  return 1;
}
int fwide(FILE *f, int mode) { return 0; }

/* Classes. */
#define CLASS(name, narrow)                                                                                            \
  int name(wint_t c) { return c < 128 && narrow((int)c); }
CLASS(iswalnum, isalnum)
CLASS(iswalpha, isalpha)
CLASS(iswblank, isblank)
CLASS(iswcntrl, iscntrl)
CLASS(iswdigit, isdigit)
CLASS(iswgraph, isgraph)
CLASS(iswlower, islower)
CLASS(iswprint, isprint)
CLASS(iswpunct, ispunct)
CLASS(iswspace, isspace)
CLASS(iswupper, isupper)
CLASS(iswxdigit, isxdigit)
wint_t towlower(wint_t c) { return c < 128 ? (wint_t)tolower((int)c) : c; }
wint_t towupper(wint_t c) { return c < 128 ? (wint_t)toupper((int)c) : c; }

static const char *const class_names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                          "lower", "print", "punct", "space", "upper", "xdigit"};
wctype_t wctype(const char *name) {
  for (unsigned i = 0; i < 12; i++)
    if (strcmp(name, class_names[i]) == 0)
      return i + 1;
  return 0;
}
int iswctype(wint_t c, wctype_t class) {
  static int (*const tests[])(wint_t) = {iswalnum, iswalpha, iswblank, iswcntrl, iswdigit, iswgraph,
                                         iswlower, iswprint, iswpunct, iswspace, iswupper, iswxdigit};
  return class >= 1 && class <= 12 ? tests[class - 1](c) : 0;
}
