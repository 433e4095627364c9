//@ verdict: violation
//@ inputs: 4
// GNU's obstacks align an address as the number of bytes that it lies behind null. With a mask that is unsigned clang does not make
// an integer of that by itself, and an address without an object came out: a violation that no run has, in wc --files0-from.
#include <stddef.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

#define ALIGN(p, mask) ((char *)0 + (((p) - (char *)0 + (mask)) & ~(mask)))

struct pool {
  char *begin, *next, *limit;
  size_t mask;
};

static void start(struct pool *h, size_t size, size_t alignment) {
  h->mask = alignment - 1;
  h->begin = malloc(size);
  if (h->begin == NULL)
    exit(1);
  h->limit = h->begin + size;
  h->next = ALIGN(h->begin + 1, h->mask);
}

int main(void) {
  int shift = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= shift && shift <= 4);
  size_t size = 32;
  struct pool h;
  start(&h, size, (size_t)1 << shift);
  h.next += size - 16;
  *h.next = 'a'; //~ buffer-overflow
  free(h.begin);
  return 0;
}
