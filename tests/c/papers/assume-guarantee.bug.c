//@ verdict: violation
//@ inputs: 0
// The function assumes that its argument is no null pointer; the guarantee is checked at each call.
#include <assert.h>
#include <stddef.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static int read_it(int *p) {
  __VERIFIER_assume(p != NULL);
  return *p;
}

int main(void) {
  int value = 3, other = 4;
  int *p = __VERIFIER_nondet_int() ? &value : NULL;
  assert(p != NULL);  //~ assertion
  return read_it(p) > 4;
}
