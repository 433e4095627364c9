//@ verdict: safe
//@ native: none
//@ checks: assertion
// As in CBMC a labelled statement has copies of all local variables, also of those whose address is known; the copy of a pointer still points to the original.
#include <assert.h>
int main(void) {
  int x = 1, a[2] = {1, 2}, *p = &x;
__CPROVER_ASYNC_1:
  a[0] = 3, x = a[0];
  assert(x == 1 && a[0] == 1);
  return 0;
}
