//@ verdict: violation
//@ native: none
//@ unwind: 1
// Quantifiers over constant and symbolic ranges; bounds of the program's loops do not hold for them.
#include "cbmc-words.h"
struct s { int a; short b; char c[3]; };
int main(void) {
  struct s x;
  ASSUME(ZEROED(x));
  __CPROVER_assert(x.a == 0 && x.b == 0 && x.c[2] == 0, "all of it");
  int a[6];
  unsigned n = nondet_word();
  ASSUME(n < 7);
  ASSUME(__CPROVER_forall { unsigned i; i < n ==> a[i] > 3 });
  unsigned k;
  ASSUME(k < n);
  __CPROVER_assert(a[k] != 3, "each of them");
  __CPROVER_assert(__CPROVER_forall { unsigned i; i < n ==> a[i] >= 4 }, "again");
  ASSUME(__CPROVER_exists { unsigned i; i < 6 && a[i] == 9 });
  int found = 0;
  found = __CPROVER_exists { unsigned j; j < 5 && a[j] == 9 };
  __CPROVER_assert(found, "some");  //~ assertion
}
