// An uninterpreted function gives the same result for the same arguments, whatever it is.
//@ verdict: safe
#include <assert.h>

int __CPROVER_uninterpreted_hash(void *);
int __CPROVER_uninterpreted_hash(const void *const p);
int nondet_int(void);

static int table[4];

int main(void) {
  int i = nondet_int(), j = nondet_int();
  __CPROVER_assume(i >= 0 && i < 4 && j >= 0 && j < 4);
  int a = __CPROVER_uninterpreted_hash(&table[i]);
  int b = __CPROVER_uninterpreted_hash(&table[j]);
  assert(i != j || a == b);
  return 0;
}
