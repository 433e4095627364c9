/* <wchar.h>, <wctype.h>, <uchar.h>: wide characters of the "C" locale, in which a byte below 128 is a character and others are none, and of UTF-8. Streams are in wide.c.
 * direction: exact, but for classes and cases of characters beyond ASCII, which are more */
#define _GNU_SOURCE
#include "libc.h"
#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <uchar.h>
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
/* direction: fewer, the order of texts in other locales */
int wcscoll(const wchar_t *a, const wchar_t *b) {
  if (__blitz_locales[LC_COLLATE] != LOCALE_C)
    __blitz_fewer("wcscoll: the order of texts in locales other than \"C\"");
  return wcsncmp(a, b, SIZE_MAX);
}
/* direction: fewer, the order of texts in other locales */
size_t wcsxfrm(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) {
  if (__blitz_locales[LC_COLLATE] != LOCALE_C)
    __blitz_fewer("wcsxfrm: the order of texts in locales other than \"C\"");
  size_t length = wcslen(src);
  if (length < n)
    wmemcpy(dst, src, length + 1);
  return length;
}
int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    wint_t x = towlower((wint_t)a[i]), y = towlower((wint_t)b[i]);
    if (x != y)
      return x < y ? -1 : 1;
    if (x == 0)
      break;
  }
  return 0;
}
int wcscasecmp(const wchar_t *a, const wchar_t *b) { return wcsncasecmp(a, b, SIZE_MAX); }
wchar_t *wcpncpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n) {
  wcsncpy(dst, src, n);
  return dst + wcsnlen(src, n);
}
wchar_t *wcschrnul(const wchar_t *s, wchar_t c) {
  while (*s != 0 && *s != c)
    s++;
  return (wchar_t *)s;
}
wchar_t *wcswcs(const wchar_t *hay, const wchar_t *needle) { return wcsstr(hay, needle); }
size_t wcsspn(const wchar_t *s, const wchar_t *set) {
  size_t n = 0;
  while (s[n] != 0 && wcschr(set, s[n]) != NULL)
    n++;
  return n;
}
size_t wcscspn(const wchar_t *s, const wchar_t *set) {
  size_t n = 0;
  while (s[n] != 0 && wcschr(set, s[n]) == NULL)
    n++;
  return n;
}
wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) {
  size_t at = wcscspn(s, set);
  return s[at] ? (wchar_t *)s + at : NULL;
}
wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict set, wchar_t **restrict save) {
  if (s == NULL)
    s = *save;
  if (s == NULL)
    return NULL;
  s += wcsspn(s, set);
  if (*s == 0) {
    *save = NULL;
    return NULL;
  }
  wchar_t *end = s + wcscspn(s, set);
  *save = *end == 0 ? NULL : end + 1;
  *end = 0;
  return s;
}
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

/* Bytes and characters: of "C" bytes below 128, of UTF-8 sequences of up to four. */

static int in_utf8(void) { return __blitz_locales[LC_CTYPE] == LOCALE_UTF8; }

/* In a locale with characters of one byte the others are any characters. */
static wchar_t of_byte(unsigned char byte) {
  __blitz_fewer("mbrtowc: characters of locales other than \"C\" and those with UTF-8");
  return byte;
}

wint_t btowc(int c) {
  if (c >= 128 && c < 256 && __blitz_locales[LC_CTYPE] == LOCALE_BYTES)
    return (wint_t)of_byte((unsigned char)c);
  return c >= 0 && c < 128 ? (wint_t)c : WEOF;
}
int wctob(wint_t c) { return c < 128 ? (int)c : EOF; }
int mbsinit(const mbstate_t *state) { return state == NULL || state->__count == 0; }

static size_t not_a_character(void) {
  errno = EILSEQ;
  return (size_t)-1;
}

/* How many bytes a sequence of UTF-8 has that begins so; 0 for what begins none. */
static unsigned sequence(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/* The state holds how many bytes are still missing, of how many, and the bits so far. */
static size_t from_utf8(wchar_t *out, const unsigned char *s, size_t n, mbstate_t *state) {
  unsigned missing = (unsigned)state->__count & 7, length = (unsigned)state->__count >> 3, bits = state->__value.__wch;
  size_t used = 0;
  if (missing == 0) {
    length = sequence(s[0]);
    if (length == 0)
      return not_a_character();
    bits = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    missing = length - 1;
    used = 1;
  }
  for (int i = 0; i < 4 && missing != 0; i++) {
    if (used == n) {
      state->__count = (int)(missing | length << 3);
      state->__value.__wch = bits;
      return (size_t)-2;
    }
    unsigned char byte = s[used];
    unsigned next = bits << 6 | (byte & 0x3fu);
    int first = missing == length - 1;
    if ((byte & 0xc0) != 0x80 || (first && length == 3 && (next < 0x20 || (next >= 0x360 && next < 0x380))) || (first && length == 4 && (next < 0x10 || next >= 0x110)))
      return not_a_character();
    bits = next;
    missing--;
    used++;
  }
  *state = (mbstate_t){0};
  if (out != NULL)
    *out = (wchar_t)bits;
  return bits == 0 ? 0 : used;
}

size_t mbrtowc(wchar_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state) {
  static mbstate_t own;
  if (s == NULL) {
    mbstate_t *of = state ? state : &own;
    int pending = of->__count != 0;
    *of = (mbstate_t){0};
    return pending && in_utf8() ? not_a_character() : 0;
  }
  if (n == 0)
    return (size_t)-2;
  if (in_utf8())
    return from_utf8(out, (const unsigned char *)s, n, state ? state : &own);
  unsigned char byte = (unsigned char)*s;
  if (byte > 127 && __blitz_locales[LC_CTYPE] == LOCALE_C)
    return not_a_character();
  if (out != NULL)
    *out = byte > 127 ? of_byte(byte) : byte;
  return byte != 0;
}
size_t mbrlen(const char *restrict s, size_t n, mbstate_t *restrict state) {
  static mbstate_t own;
  return mbrtowc(NULL, s, n, state ? state : &own);
}
int mbtowc(wchar_t *restrict out, const char *restrict s, size_t n) {
  mbstate_t state = {0};
  int got = s == NULL ? 0 : (int)mbrtowc(out, s, n, &state);
  return got < 0 ? -1 : got;
}
int mblen(const char *s, size_t n) { return mbtowc(NULL, s, n); }

size_t wcrtomb(char *restrict s, wchar_t c, mbstate_t *restrict state) {
  unsigned u = (unsigned)c;
  if (s == NULL)
    return 1;
  if (u < 128) {
    *s = (char)c;
    return 1;
  }
  if (__blitz_locales[LC_CTYPE] == LOCALE_BYTES) {
    *s = (char)of_byte((unsigned char)u);
    return 1;
  }
  if (!in_utf8() || u > 0x10ffff || (u >= 0xd800 && u < 0xe000))
    return not_a_character();
  unsigned length = u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;
  s[0] = (char)((length == 2 ? 0xc0 : length == 3 ? 0xe0 : 0xf0) | u >> (6 * (length - 1)));
  for (unsigned i = 1; i < length; i++)
    s[i] = (char)(0x80 | (u >> (6 * (length - 1 - i)) & 0x3f));
  return length;
}
int wctomb(char *s, wchar_t c) { return s == NULL ? 0 : (int)wcrtomb(s, c, NULL); }

size_t mbsnrtowcs(wchar_t *restrict out, const char **restrict from, size_t bytes, size_t n, mbstate_t *restrict state) {
  static mbstate_t own;
  mbstate_t *of = state ? state : &own, scratch = *of;
  const char *s = *from;
  size_t done = 0, left = bytes;
  for (; out == NULL || done < n; done++) {
    if (left == 0)
      break;
    wchar_t c = 0;
    size_t got = mbrtowc(&c, s, left, out ? of : &scratch);
    if (got == (size_t)-1) {
      if (out != NULL)
        *from = s;
      return got;
    }
    if (got == (size_t)-2) {
      s += left;
      break;
    }
    if (out != NULL)
      out[done] = c;
    if (got == 0) {
      if (out != NULL)
        *from = NULL;
      return done;
    }
    s += got;
    left -= got;
  }
  if (out != NULL)
    *from = s;
  return done;
}
size_t mbsrtowcs(wchar_t *restrict out, const char **restrict from, size_t n, mbstate_t *restrict state) {
  return mbsnrtowcs(out, from, SIZE_MAX, n, state);
}
size_t mbstowcs(wchar_t *restrict out, const char *s, size_t n) {
  mbstate_t state = {0};
  return mbsrtowcs(out, &s, n, &state);
}

size_t wcsnrtombs(char *restrict out, const wchar_t **restrict from, size_t wide, size_t n, mbstate_t *restrict state) {
  const wchar_t *s = *from;
  size_t done = 0;
  for (size_t i = 0; i < wide; i++) {
    char bytes[8];
    size_t got = wcrtomb(bytes, s[i], state);
    if (got == (size_t)-1) {
      if (out != NULL)
        *from = s + i;
      return got;
    }
    if (out != NULL && done + got > n) {
      *from = s + i;
      return done;
    }
    if (out != NULL)
      memcpy(out + done, bytes, got);
    if (s[i] == 0) {
      if (out != NULL)
        *from = NULL;
      return done;
    }
    done += got;
  }
  if (out != NULL)
    *from = s + wide;
  return done;
}
size_t wcsrtombs(char *restrict out, const wchar_t **restrict from, size_t n, mbstate_t *restrict state) {
  return wcsnrtombs(out, from, SIZE_MAX, n, state);
}
size_t wcstombs(char *restrict out, const wchar_t *s, size_t n) { return wcsrtombs(out, &s, n, NULL); }

/* <uchar.h>: characters of one unit. */
size_t mbrtoc32(char32_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state) { return mbrtowc((wchar_t *)out, s, n, state); }
size_t c32rtomb(char *restrict s, char32_t c, mbstate_t *restrict state) { return wcrtomb(s, (wchar_t)c, state); }
size_t mbrtoc16(char16_t *restrict out, const char *restrict s, size_t n, mbstate_t *restrict state) {
  wchar_t c = 0;
  size_t got = mbrtowc(&c, s, n, state);
  if (c > 0xffff)
    __blitz_unsupported("mbrtoc16: characters of two units");
  if (out != NULL && s != NULL && got != (size_t)-1 && got != (size_t)-2)
    *out = (char16_t)c;
  return got;
}
size_t c16rtomb(char *restrict s, char16_t c, mbstate_t *restrict state) {
  if (c >= 0xd800 && c < 0xe000)
    __blitz_unsupported("c16rtomb: characters of two units");
  return wcrtomb(s, c, state);
}

/* Beyond ASCII the answer is any: in a symbolic execution and the run that follows it an input, on the host refused. direction: more, characters beyond ASCII */
static int any_answer(int most) {
  if (!__blitz_model)
    __blitz_unsupported("classes of characters beyond ASCII");
  __blitz_more("iswalpha: characters beyond ASCII are of any class");
  int answer = __blitz_input_u8("(guess) class of a character");
  __blitz_assume(answer <= most);
  return answer;
}

/* Whether a character is none of ASCII's, in a locale that has others. */
static int is_beyond(wint_t c) { return c > 127 && c != WEOF && __blitz_locales[LC_CTYPE] != LOCALE_C; }

/* A character takes one column, unless it cannot be printed. */
int wcwidth(wchar_t c) { return is_beyond((wint_t)c) ? any_answer(3) - 1 : c == 0 ? 0 : c >= 32 && c < 127 ? 1 : -1; }
int wcswidth(const wchar_t *s, size_t n) {
  int width = 0;
  for (size_t i = 0; i < n && s[i] != 0; i++) {
    int one = wcwidth(s[i]);
    if (one < 0)
      return -1;
    width += one;
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
    if (stop == text + sizeof text - 1)                                                                                \
      __blitz_unsupported("a number of more than 79 wide characters");                                                 \
    if (end != NULL)                                                                                                   \
      *end = (wchar_t *)s + (stop - text);                                                                             \
    return value;                                                                                                      \
  }
FROM_WIDE(wcstol, long, strtol)
FROM_WIDE(wcstoul, unsigned long, strtoul)
FROM_WIDE(wcstoll, long long, strtoll)
FROM_WIDE(wcstoull, unsigned long long, strtoull)

FROM_WIDE(wcstoimax, intmax_t, strtoimax)
FROM_WIDE(wcstoumax, uintmax_t, strtoumax)
FROM_WIDE(__isoc23_wcstol, long, strtol)
FROM_WIDE(__isoc23_wcstoul, unsigned long, strtoul)
FROM_WIDE(__isoc23_wcstoll, long long, strtoll)
FROM_WIDE(__isoc23_wcstoull, unsigned long long, strtoull)
FROM_WIDE(__isoc23_wcstoimax, intmax_t, strtoimax)
FROM_WIDE(__isoc23_wcstoumax, uintmax_t, strtoumax)

#define FLOAT_FROM_WIDE(name, type, call)                                                                              \
  type name(const wchar_t *restrict s, wchar_t **restrict end) {                                                       \
    char text[400], *stop;                                                                                             \
    narrow(text, sizeof text, s);                                                                                      \
    type value = call(text, &stop);                                                                                    \
    if (stop == text + sizeof text - 1)                                                                                \
      __blitz_unsupported("a number of more than 399 wide characters");                                                \
    if (end != NULL)                                                                                                   \
      *end = (wchar_t *)s + (stop - text);                                                                             \
    return value;                                                                                                      \
  }
FLOAT_FROM_WIDE(wcstod, double, strtod)
FLOAT_FROM_WIDE(wcstof, float, strtof)
FLOAT_FROM_WIDE(wcstold, long double, strtold)

/* Classes. */
#define CLASS(name, narrow)                                                                                            \
  int name(wint_t c) { return is_beyond(c) ? any_answer(1) : c < 128 && narrow((int)c); }                              \
  int name##_l(wint_t c, locale_t locale) { return c < 128 && narrow((int)c); }                                        \
  int __##name##_l(wint_t c, locale_t locale) { return c < 128 && narrow((int)c); }
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
static wint_t other_case(wint_t c) {
  wint_t other = __blitz_input_u32("(guess) other case");
  return any_answer(1) ? other : c;
}
wint_t towlower(wint_t c) { return is_beyond(c) ? other_case(c) : c < 128 ? (wint_t)tolower((int)c) : c; }
wint_t towupper(wint_t c) { return is_beyond(c) ? other_case(c) : c < 128 ? (wint_t)toupper((int)c) : c; }
wctrans_t wctrans(const char *name) {
  static const int kinds[2] = {1, 2};
  return strcmp(name, "tolower") == 0 ? &kinds[0] : strcmp(name, "toupper") == 0 ? &kinds[1] : NULL;
}
wint_t towctrans(wint_t c, wctrans_t to) { return to == NULL ? c : *to == 1 ? towlower(c) : towupper(c); }

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
