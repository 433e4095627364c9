/* <string.h>, <strings.h>: memory and strings.
 *
 * What: every function is a few bulk operations (scan, mismatch, memcpy) behind the checks of what it reads and
 * writes, so that checking needs no unwinding whatever the length is.
 * Why __blitz_check_string first: after it, __blitz_scan for the NUL is known to stop inside the object.
 * Absent: byte loops, except where the result depends on a set of bytes (strspn, strstr, strcasecmp).
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>
#include <strings.h>

/* Bytes from p to the end of its object; if p is not inside one, a number for which the check that follows fails. */
static size_t room(const void *p) { return __blitz_object_size(p) - (size_t)__blitz_offset(p); }

/* As strlen, but the bytes may be indeterminate: for functions that only copy them. */
static size_t length(const char *s) {
  __blitz_check_string(s);
  size_t size = __blitz_object_size(s);
  return __blitz_fit(__blitz_scan(s, 0, __blitz_fit(room(s), size)), size);
}

/* A scan that never leaves the object of p; checks what it read. */
static size_t scan_within(const void *p, int byte, size_t limit) {
  size_t end = room(p) < limit ? room(p) : limit;
  size_t n = __blitz_scan(p, byte, end);
  __blitz_check_read(p, n < limit ? n + 1 : limit);
  return n;
}

size_t strlen(const char *s) {
  size_t n = length(s);
  __blitz_check_defined(s, n + 1);
  return n;
}

size_t strnlen(const char *s, size_t max) { return scan_within(s, 0, max); }

void *mempcpy(void *dst, const void *src, size_t n) { return (char *)memcpy(dst, src, n) + n; }

void *__mempcpy(void *dst, const void *src, size_t n) { return mempcpy(dst, src, n); }

void bcopy(const void *src, void *dst, size_t n) { memmove(dst, src, n); }

void bzero(void *p, size_t n) { memset(p, 0, n); }

void explicit_bzero(void *p, size_t n) { memset(p, 0, n); }

void *memccpy(void *restrict dst, const void *restrict src, int c, size_t n) {
  size_t at = scan_within(src, (unsigned char)c, n);
  memcpy(dst, src, at < n ? at + 1 : n);
  return at < n ? (char *)dst + at + 1 : NULL;
}

/* Objects that overlap must not be copied as strings. */
static void apart(const char *dst, const char *src, size_t n) {
  size_t to = (size_t)__blitz_offset(dst), from = (size_t)__blitz_offset(src);
  __blitz_check(__blitz_object_id(dst) != __blitz_object_id(src) || to + n <= from || from + n <= to, "buffer-overflow",
                "source and destination overlap");
}

char *strcpy(char *restrict dst, const char *restrict src) {
  size_t n = length(src) + 1;
  apart(dst, src, n);
  memmove(dst, src, n);
  return dst;
}

char *stpcpy(char *restrict dst, const char *restrict src) {
  size_t n = length(src);
  strcpy(dst, src);
  return dst + n;
}

char *__stpcpy(char *restrict dst, const char *restrict src) { return stpcpy(dst, src); }

char *stpncpy(char *restrict dst, const char *restrict src, size_t n) {
  size_t len = strnlen(src, n);
  __blitz_check_write(dst, n);
  apart(dst, src, len);
  memmove(dst, src, len);
  memset(dst + len, 0, n - len);
  return dst + len;
}

char *strncpy(char *restrict dst, const char *restrict src, size_t n) {
  stpncpy(dst, src, n);
  return dst;
}

char *strcat(char *restrict dst, const char *restrict src) {
  size_t len = length(dst);
  strcpy(dst + len, src);
  return dst;
}

char *strncat(char *restrict dst, const char *restrict src, size_t n) {
  size_t at = length(dst), len = strnlen(src, n);
  __blitz_check_write(dst + at, len + 1);
  apart(dst + at, src, len);
  memmove(dst + at, src, len);
  dst[at + len] = 0;
  return dst;
}

size_t strlcpy(char *restrict dst, const char *restrict src, size_t size) {
  size_t len = length(src);
  if (size != 0) {
    size_t n = len < size ? len : size - 1;
    memmove(dst, src, n);
    dst[n] = 0;
  }
  return len;
}

size_t strlcat(char *restrict dst, const char *restrict src, size_t size) {
  size_t at = strnlen(dst, size);
  if (at == size)
    return size + length(src);
  return at + strlcpy(dst + at, src, size - at);
}

void *memchr(const void *p, int c, size_t n) {
  size_t at = scan_within(p, (unsigned char)c, n);
  return at < n ? (char *)p + at : NULL;
}

void *rawmemchr(const void *p, int c) { return (char *)p + scan_within(p, (unsigned char)c, SIZE_MAX); }

void *__rawmemchr(const void *p, int c) { return rawmemchr(p, c); }

/* The last of the hits, of which there is one: guessed by a symbolic execution and held against what makes it the last; looked for by a run, which may
 * get here without a guess. */
static size_t last_hit(const unsigned char *s, unsigned char c, size_t n) {
  size_t at = __blitz_input_size("(last position)");
  if (!__blitz_open(at)) {
    for (at = n - 1; s[at] != c;)
      at--;
    return at;
  }
  __blitz_assume(at < n);
  __blitz_assume(s[at] == c && __blitz_scan(s + at + 1, c, n - at - 1) == n - at - 1);
  return at;
}

void *memrchr(const void *p, int c, size_t n) {
  const unsigned char *s = p;
  __blitz_check_read(p, n);
  if (__blitz_scan(p, (unsigned char)c, n) >= n)
    return NULL;
  if (__blitz_model)
    return (char *)p + last_hit(p, (unsigned char)c, n);
  size_t at = n - 1;
  while (s[at] != (unsigned char)c)
    at--;
  return (char *)p + at;
}

/* Reads only up to the hit: what follows it need not be a string. */
char *strchrnul(const char *s, int c) {
  size_t end = __blitz_scan(s, 0, room(s));
  size_t at = __blitz_scan(s, (unsigned char)c, end);
  __blitz_check_read(s, at + 1);
  return (char *)s + at;
}

char *strchr(const char *s, int c) {
  size_t end = __blitz_scan(s, 0, room(s));
  size_t at = __blitz_scan(s, (unsigned char)c, end);
  __blitz_check_read(s, 1);
  if ((char)c != 0 && __blitz_narrow((unsigned char)*s)) {
    if (*s == (char)c)
      return (char *)s;
    __blitz_assume(at == end);
    __blitz_check_read(s, end + 1);
    return NULL;
  }
  __blitz_check_read(s, at + 1);
  return s[at] == (char)c ? (char *)s + at : NULL;
}

char *index(const char *s, int c) { return strchr(s, c); }

char *strrchr(const char *s, int c) {
  size_t len = length(s);
  if ((char)c == 0)
    return (char *)s + len;
  return memrchr(s, c, len);
}

char *rindex(const char *s, int c) { return strrchr(s, c); }

int memcmp(const void *a, const void *b, size_t n) {
  __blitz_check_read(a, n);
  __blitz_check_read(b, n);
  size_t at = __blitz_mismatch(a, b, n);
  if (at >= n) {
    __blitz_check_defined(a, n);
    __blitz_check_defined(b, n);
    return 0;
  }
  __blitz_check_defined(a, at + 1);
  __blitz_check_defined(b, at + 1);
  return ((const unsigned char *)a)[at] < ((const unsigned char *)b)[at] ? -1 : 1;
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

int timingsafe_bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

/* The comparison of the strings or, if they are longer, of their first n bytes. Reads only up to the difference. */
static int compare(const char *a, const char *b, size_t n) {
  size_t la = __blitz_scan(a, 0, room(a)), lb = __blitz_scan(b, 0, room(b));
  size_t limit = la < lb ? la : lb;
  if (n <= limit)
    limit = n;
  size_t at = __blitz_mismatch(a, b, limit);
  if (at >= n)
    return 0;
  __blitz_check_read(a, at + 1);
  __blitz_check_read(b, at + 1);
  __blitz_check_defined(a, at + 1);
  __blitz_check_defined(b, at + 1);
  return (unsigned char)a[at] - (unsigned char)b[at];
}

int strcmp(const char *a, const char *b) { return compare(a, b, SIZE_MAX); }

int strncmp(const char *a, const char *b, size_t n) { return compare(a, b, n); }

/* direction: fewer, the order of texts in other locales */
int strcoll(const char *a, const char *b) {
  if (__blitz_locales[LC_COLLATE] != LOCALE_C)
    __blitz_fewer("strcoll: the order of texts in locales other than \"C\"");
  return strcmp(a, b);
}

/* direction: fewer, the order of texts in other locales */
size_t strxfrm(char *restrict dst, const char *restrict src, size_t n) {
  if (__blitz_locales[LC_COLLATE] != LOCALE_C)
    __blitz_fewer("strxfrm: the order of texts in locales other than \"C\"");
  return strlcpy(dst, src, n);
}

static unsigned char lower(unsigned char c) { return c - 'A' < 26u ? c + ('a' - 'A') : c; }

/* direction: fewer, letters beyond ASCII where characters are bytes */
int strncasecmp(const char *a, const char *b, size_t n) {
  if (__blitz_locales[LC_CTYPE] == LOCALE_BYTES)
    __blitz_fewer("strcasecmp: letters beyond ASCII in locales where characters are bytes");
  for (size_t i = 0; i < n; i++) {
    CUT(i, 128, "comparison without case of more than 128 bytes");
    unsigned char x = lower(a[i]), y = lower(b[i]);
    if (x != y)
      return x - y;
    if (x == 0)
      break;
  }
  return 0;
}

int strcasecmp(const char *a, const char *b) {
  return strncasecmp(a, b, SIZE_MAX);
}

/* How many places that begin like the text sought are followed one by one in a text that is open. */
enum { CANDIDATES = 3 };

/* Where a text is found beyond `from`: anywhere it is, or nowhere, in a symbolic execution; whether there is an earlier one is not asked. */
static size_t found_somewhere(const unsigned char *h, size_t n, const unsigned char *e, size_t m, size_t from, size_t guess) {
  __blitz_more("strstr: after some places that begin like the text, any place or none");
  __blitz_assume(guess == n || (guess >= from && guess < n && n - guess >= m && __blitz_mismatch(h + guess, e, m) >= m));
  return guess;
}

void *memmem(const void *hay, size_t n, const void *needle, size_t m) {
  const unsigned char *h = hay, *e = needle;
  if (m == 0)
    return (void *)hay;
  __blitz_check_read(hay, n);
  __blitz_check_read(needle, m);
  unsigned tries = 0;
  for (size_t from = 0; from < n && n - from >= m; from++, tries++) {
    if (GUESSES && tries == CANDIDATES) {
      size_t guess = __blitz_input_size("(guess) place");
      if (__blitz_open(from) || __blitz_open(n)) {
        size_t at = found_somewhere(h, n, e, m, from, guess);
        return at == n ? NULL : (void *)(h + at);
      }
    }
    from += __blitz_scan(h + from, e[0], n - from);
    if (from >= n || n - from < m)
      return NULL;
    if (__blitz_mismatch(h + from, e, m) >= m)
      return (void *)(h + from);
  }
  return NULL;
}

char *strstr(const char *hay, const char *needle) {
  size_t n = length(hay), m = length(needle);
  return memmem(hay, n, needle, m);
}

char *strnstr(const char *hay, const char *needle, size_t max) {
  size_t n = strnlen(hay, max), m = length(needle);
  return memmem(hay, n, needle, m);
}

char *strcasestr(const char *hay, const char *needle) {
  size_t n = length(hay), m = length(needle);
  for (size_t from = 0; from <= n && n - from >= m; from++) {
    CUT(from, 32, "search without case beyond 32 bytes");
    if (strncasecmp(hay + from, needle, m) == 0)
      return (char *)hay + from;
  }
  return NULL;
}

/* The first byte of s that is in set; the least of the scans for each member. */
size_t strcspn(const char *s, const char *set) {
  size_t len = length(s), n = length(set);
  for (size_t i = 0; i < n; i++) {
    CUT(i, 256, "a set of more than 256 bytes");
    len = __blitz_scan(s, (unsigned char)set[i], len);
  }
  return len;
}

static _Bool member(unsigned char c, const char *set, size_t n) {
  _Bool in = 0;
  for (size_t i = 0; i < n; i++) {
    CUT(i, 256, "a set of more than 256 bytes");
    in |= c == (unsigned char)set[i];
  }
  return in;
}

/* The bytes at the start of a string that are in a set; in a text that is open the first ones are counted at once, and beyond them a symbolic execution takes
 * any number. The caller has checked both. */
enum { RUN = 3 };
static size_t run_of(const char *s, size_t len, const char *set, size_t n) {
  size_t count = 0;
  _Bool on = 1;
  unsigned char open = 0;
  for (size_t i = 0; i < RUN; i++) {
    unsigned char c = __blitz_peek(s, i);
    on &= (i < len) & member(c, set, n);
    open |= c;
    count += on;
  }
  if (!on)
    return count;
  if (GUESSES) {
    size_t guess = __blitz_input_size("(guess) run");
    if (__blitz_open(open)) {
      __blitz_more("strspn: a run of more than 3 bytes ends anywhere");
      __blitz_assume(guess >= RUN && guess <= len && (guess == len || !member(__blitz_peek(s, guess), set, n)));
      return guess;
    }
  }
  while (count < len && member(__blitz_peek(s, count), set, n))
    count++;
  return count;
}

size_t strspn(const char *s, const char *set) {
  size_t len = length(s), n = length(set), count = run_of(s, len, set, n);
  __blitz_check_defined(s, count + 1);
  return count;
}

char *strpbrk(const char *s, const char *set) {
  size_t at = strcspn(s, set);
  return s[at] ? (char *)s + at : NULL;
}

char *strtok_r(char *restrict s, const char *restrict set, char **restrict save) {
  if (s == NULL)
    s = *save;
  size_t len = length(s), n = length(set), size = __blitz_object_size(s);
  size_t start = __blitz_fit(run_of(s, len, set, n), size), end = __blitz_fit(len - start, size);
  for (size_t i = 0; i < n; i++) {
    CUT(i, 256, "a set of more than 256 bytes");
    end = __blitz_scan(s + start, (unsigned char)set[i], end);
  }
  end = __blitz_fit(start + end, size);
  __blitz_check_defined(s, end + 1);
  *save = s + end;
  if (start == len)
    return NULL;
  if (end < len) {
    s[end] = 0;
    *save = s + end + 1;
  }
  return s + start;
}

char *__strtok_r(char *restrict s, const char *restrict set, char **restrict save) { return strtok_r(s, set, save); }

static char *strtok_state;

char *strtok(char *restrict s, const char *restrict set) { return strtok_r(s, set, &strtok_state); }

char *strsep(char **restrict where, const char *restrict set) {
  char *s = *where;
  if (s == NULL)
    return NULL;
  char *end = s + strcspn(s, set);
  if (*end) {
    *end = 0;
    *where = end + 1;
  } else {
    *where = NULL;
  }
  return s;
}

char *strdup(const char *s) {
  size_t n = length(s) + 1;
  char *copy = malloc(n);
  return copy ? memcpy(copy, s, n) : NULL;
}

char *__strdup(const char *s) { return strdup(s); }

char *strndup(const char *s, size_t max) {
  size_t n = strnlen(s, max);
  char *copy = malloc(n + 1);
  if (copy == NULL)
    return NULL;
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

char *__strndup(const char *s, size_t max) { return strndup(s, max); }

char *basename(const char *path) {
  char *slash = strrchr(path, '/');
  return slash ? slash + 1 : (char *)path;
}

void *memfrob(void *p, size_t n) {
  unsigned char *s = p;
  for (size_t i = 0; i < n; i++)
    s[i] ^= 42;
  return p;
}

void swab(const void *restrict from, void *restrict to, ssize_t n) {
  const char *s = from;
  char *d = to;
  for (ssize_t i = 0; i + 1 < n; i += 2) {
    char low = s[i];
    d[i] = s[i + 1];
    d[i + 1] = low;
  }
}

int ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }

int ffsl(long x) { return x ? __builtin_ctzl((unsigned long)x) + 1 : 0; }

int ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }

/* What _FORTIFY_SOURCE calls; the bounds it knows are the object's, which we check anyway. */
void *__memcpy_chk(void *d, const void *s, size_t n, size_t room) { return memcpy(d, s, n); }
void *__memmove_chk(void *d, const void *s, size_t n, size_t room) { return memmove(d, s, n); }
void *__mempcpy_chk(void *d, const void *s, size_t n, size_t room) { return mempcpy(d, s, n); }
void *__memset_chk(void *d, int c, size_t n, size_t room) { return memset(d, c, n); }
char *__strcpy_chk(char *d, const char *s, size_t room) { return strcpy(d, s); }
char *__stpcpy_chk(char *d, const char *s, size_t room) { return stpcpy(d, s); }
char *__strncpy_chk(char *d, const char *s, size_t n, size_t room) { return strncpy(d, s, n); }
char *__strcat_chk(char *d, const char *s, size_t room) { return strcat(d, s); }
char *__strncat_chk(char *d, const char *s, size_t n, size_t room) { return strncat(d, s, n); }
