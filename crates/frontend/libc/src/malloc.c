/* The malloc family.
 *
 * Allocation fails when the environment says so (__blitz_alloc_fails) or when the size is one that no real machine
 * gives out. An allocation of 0 bytes yields a unique pointer to an object of 0 bytes, as glibc's does.
 * direction: exact; that no allocation of more than half a terabyte succeeds is assumed of every environment, and not marked: calls of malloc are everywhere
 * Absent: fragmentation, real addresses, malloc_usable_size beyond the requested size. */
#define _GNU_SOURCE
#include "libc.h"
#include <malloc.h>
#include <string.h>
#include <unistd.h>

/* The largest object a machine gives out: as many bytes as our pointers reach (crates/ir, TargetInfo), which is half a terabyte. On 32 bits
 * it may be larger than that: then the interpreter refuses it, and the engines take what is beyond their reach for outside of it. */
#if __SIZEOF_POINTER__ == 8
#define LARGEST (((size_t)1 << 39) - 16)
#else
#define LARGEST ((size_t)0x7ffffff0)
#endif

/* Where allocations always succeed, nobody asks for more than there is. */
static int fails(size_t n) {
  if (n <= LARGEST)
    return __blitz_alloc_fails();
  if (__blitz_model)
    __blitz_assume(__blitz_alloc_fails());
  return 1;
}

void *malloc(size_t n) {
  if (fails(n)) {
    errno = ENOMEM;
    return NULL;
  }
  return __blitz_heap_alloc(n);
}

void free(void *p) { __blitz_heap_free(p); }

void cfree(void *p) { __blitz_heap_free(p); }

void *calloc(size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) {
    errno = ENOMEM;
    return NULL;
  }
  /* What a product that fits is at least, which a solver would have to take a multiplier apart for. */
  __builtin_assume(size == 0 || n >= count);
  __builtin_assume(count == 0 || n >= size);
  void *p = malloc(n);
  return p ? memset(p, 0, n) : NULL;
}

void *realloc(void *old, size_t n) {
  if (old == NULL)
    return malloc(n);
  if (n == 0) {
    __blitz_heap_free(old);
    return NULL;
  }
  size_t had = __blitz_object_size(old);
  /* A pointer that may not be freed may not be reallocated: let the check of free say so. */
  if (!__blitz_is_live(old) || !__blitz_is_heap(old) || __blitz_offset(old) != 0)
    __blitz_heap_free(old);
  void *p = malloc(n);
  if (p == NULL)
    return NULL;
  memcpy(p, old, had < n ? had : n);
  __blitz_heap_free(old);
  return p;
}

void *reallocarray(void *old, size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, n);
}

int posix_memalign(void **out, size_t align, size_t n) {
  if (align < sizeof(void *) || (align & (align - 1)) != 0)
    return EINVAL;
  if (fails(n))
    return ENOMEM;
  *out = __blitz_heap_alloc(n);
  return 0;
}

void *memalign(size_t align, size_t n) { return malloc(n); }

void *aligned_alloc(size_t align, size_t n) { return malloc(n); }

void *valloc(size_t n) { return malloc(n); }

void *pvalloc(size_t n) { return malloc(n); }

size_t malloc_usable_size(void *p) { return p ? __blitz_object_size(p) : 0; }

int mallopt(int what, int value) { return 1; }

int malloc_trim(size_t pad) { return 0; }

void malloc_stats(void) {}

/* direction: fewer, a segment that grows: what a full machine answers */
void *sbrk(intptr_t by) {
  __blitz_fewer("sbrk: a segment that grows");
  if (by == 0)
    return __blitz_heap_alloc(0);
  errno = ENOMEM;
  return (void *)-1;
}
