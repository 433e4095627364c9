//@ verdict: safe
//@ native: none
// The words come from a header, what is not set has any value, a builtin is defined here, contracts are left aside.
#include "cbmc-words.h"
#include <stdlib.h>
static void *fill_impl(void *s, int c, unsigned long n) {
  __CPROVER_precondition(__CPROVER_w_ok(s, n), "writable");
  for (__CPROVER_size_t i = 0; i < n; i++) ((char *)s)[i] = c;
  return s;
}
void *__builtin___memset_chk(void *s, int c, unsigned long n, unsigned long os) { return fill_impl(s, c, n); }
int twice(int x)
    __CPROVER_requires(x > 0)
    __CPROVER_ensures(__CPROVER_return_value == 2 * x)
{ return 2 * x; }
int main(void) {
  int unset;
  ASSUME(unset > 2 && unset < 100);
  char *p = malloc(4);
  ASSUME(p != NULL);
  __builtin___memset_chk(p, 7, 4, 4);
  __CPROVER_assert(is_valid(p, 4) && !READABLE(p, 5), "sizes");
  unsigned __CPROVER_bitvector[5] small = unset;
  __CPROVER_assert(small <= 31 && p[3] == 7, "five bits");
  __CPROVER_assert(twice(unset) > 4, "doubled");  //~ assertion
  free(p);
}
