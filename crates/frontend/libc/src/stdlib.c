/* <stdlib.h> arithmetic, search and sort.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <string.h>

/* The smallest number has no absolute value, and no quotient by -1. */
#define ABSOLUTE(name, type, smallest)                                                                                 \
  type name(type x) {                                                                                                  \
    __blitz_check(x != smallest, "signed-overflow", "absolute value of the smallest number");                          \
    return x < 0 ? (type)(0 - (uint64_t)x) : x;                                                                        \
  }
ABSOLUTE(abs, int, INT_MIN)
ABSOLUTE(labs, long, LONG_MIN)
ABSOLUTE(llabs, long long, LLONG_MIN)
ABSOLUTE(imaxabs, intmax_t, INTMAX_MIN)

#define DIVISION(name, result, type, smallest)                                                                         \
  result name(type a, type b) {                                                                                        \
    __blitz_check(b != 0, "div-by-zero", "division by zero");                                                          \
    __blitz_check(a != smallest || b != -1, "signed-overflow", "quotient that does not fit");                          \
    return (result){a / b, a % b};                                                                                     \
  }
DIVISION(div, div_t, int, INT_MIN)
DIVISION(ldiv, ldiv_t, long, LONG_MIN)
DIVISION(lldiv, lldiv_t, long long, LLONG_MIN)
DIVISION(imaxdiv, imaxdiv_t, intmax_t, INTMAX_MIN)

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  /* The range halves each time, so it is empty after as many steps as it has bits. */
  for (unsigned step = 0; low < high && step <= 8 * sizeof count; step++) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)base + middle * size;
    int order = compare(key, at);
    if (order == 0)
      return (void *)at;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

typedef int (*comparison)(const void *, const void *, void *);

/* Neighbours change places until all are in order. Which ones are compared does not depend on the data, so that a
 * symbolic execution has no paths to split. */
static void sort_network(char *base, size_t count, size_t size, comparison compare, void *arg) {
  char *spare = __blitz_heap_alloc(size);
  CUT(count, 33, "sorting more than 32 elements");
  for (size_t done = 0; done + 1 < count && done < 32; done++)
    for (size_t i = 0; i + 1 < count - done && i < 32; i++) {
      char *a = base + i * size, *b = a + size;
      if (compare(a, b, arg) > 0) {
        memcpy(spare, a, size);
        memcpy(a, b, size);
        memcpy(b, spare, size);
      }
    }
  __blitz_heap_free(spare);
}

/* Two sorted runs [low, middle) and [middle, high) of `from` become one in `to`. */
static void merge(char *to, const char *from, size_t low, size_t middle, size_t high, size_t size, comparison compare,
                  void *arg) {
  size_t a = low, b = middle;
  for (size_t i = low; i < high; i++) {
    int first = b >= high || (a < middle && compare(from + a * size, from + b * size, arg) <= 0);
    memcpy(to + i * size, from + (first ? a : b) * size, size);
    a += (size_t)first;
    b += (size_t)!first;
  }
}

static void sort_merge(char *base, size_t count, size_t size, comparison compare, void *arg) {
  char *spare = __blitz_heap_alloc(count * size);
  char *from = base, *to = spare;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t low = 0; low < count; low += 2 * run) {
      size_t middle = low + run < count ? low + run : count;
      size_t high = middle + run < count ? middle + run : count;
      merge(to, from, low, middle, high, size, compare, arg);
    }
    char *other = from;
    from = to;
    to = other;
  }
  if (from != base)
    memcpy(base, from, count * size);
  __blitz_heap_free(spare);
}

void qsort_r(void *base, size_t count, size_t size, comparison compare, void *arg) {
  if (count < 2 || size == 0)
    return;
  if (__blitz_model)
    sort_network(base, count, size, compare, arg);
  else
    sort_merge(base, count, size, compare, arg);
}

static int call_plain(const void *a, const void *b, void *compare) {
  return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(base, count, size, call_plain, &compare);
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
  for (size_t i = 0; i < *count; i++) {
    CUT(i, 64, "a linear search over more than 64 elements");
    if (compare(key, (const char *)base + i * size) == 0)
      return (char *)base + i * size;
  }
  return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
  void *at = lfind(key, base, count, size, compare);
  if (at != NULL)
    return at;
  return memcpy((char *)base + (*count)++ * size, key, size);
}

/* Sub-options "a=b,c". */
int getsubopt(char **restrict option, char *const *restrict tokens, char **restrict value) {
  char *s = *option;
  *value = NULL;
  if (*s == 0)
    return -1;
  size_t len = strcspn(s, ",");
  char *next = s + len;
  if (*next == ',')
    *next++ = 0;
  *option = next;
  char *equals = strchr(s, '=');
  size_t name = equals ? (size_t)(equals - s) : len;
  for (int i = 0; tokens[i] != NULL; i++)
    if (strncmp(tokens[i], s, name) == 0 && tokens[i][name] == 0) {
      *value = equals ? equals + 1 : NULL;
      return i;
    }
  *value = s;
  return -1;
}
