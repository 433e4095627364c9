/* Intrinsics of CBMC that are more than one instruction, for harnesses that move over.
 *
 * Absent: __CPROVER_forall and __CPROVER_exists, which the driver turns into C; contracts (contract.c and the driver).
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What __CPROVER_array_set(to, value) becomes: fills the rest of the object with copies of a value. */
void __CPROVER_array_set_value(void *to, const void *value, size_t each) {
  size_t len = __blitz_object_size(to) - (size_t)__blitz_offset(to);
  __blitz_check_write(to, len);
  if (each == 1) {
    memset(to, *(const char *)value, len);
    return;
  }
  /* What is there already is copied behind itself, twice as much each time. */
  memcpy(to, value, each < len ? each : len);
  for (size_t done = each; done < len; done *= 2)
    memcpy((char *)to + done, to, done < len - done ? done : len - done);
}

/* A heap object that is always there; zeroed if asked for. */
void *__CPROVER_allocate(size_t size, _Bool zero) {
  void *p = __blitz_heap_alloc(size);
  return zero ? memset(p, 0, size) : p;
}

/* Neither null nor inside an object that is alive. */
_Bool __CPROVER_is_invalid_pointer(const void *p) { return p != NULL && !__blitz_is_live(p); }

/* All three in one object, in this order. */
_Bool __CPROVER_pointer_in_range(const void *low, const void *p, const void *high) {
  return __blitz_object_id(low) == __blitz_object_id(p) && __blitz_object_id(p) == __blitz_object_id(high) &&
         __blitz_offset(low) <= __blitz_offset(p) && __blitz_offset(p) <= __blitz_offset(high);
}

/* The object may be written to. */
_Bool __CPROVER_WRITEABLE_OBJECT(const void *p) { return __blitz_writable((const char *)p - __blitz_offset(p), 1); }

/* What only clauses of contracts may ask, asked elsewhere: in a predicate that a clause calls, say. */
_Bool __CPROVER_is_fresh(const void *p, size_t n) { __blitz_unsupported("__CPROVER_is_fresh outside of a contract's clause"); }
_Bool __CPROVER_pointer_equals(const void *p, const void *q) {
  __blitz_unsupported("__CPROVER_pointer_equals outside of a contract's clause");
}
_Bool __CPROVER_obeys_contract(const void *f, const void *contract) {
  __blitz_unsupported("__CPROVER_obeys_contract outside of a contract's clause");
}

/* Names that other systems give to functions of ours. */
unsigned _sleep(unsigned seconds) { return sleep(seconds); }
int _usleep(unsigned microseconds) { return usleep(microseconds); }
size_t _strftime(char *to, size_t n, const char *format, const struct tm *tm) { return strftime(to, n, format, tm); }
