//@ verdict: violation
//@ inputs: 3 3 0
// A pointer means an element of one member or of another.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int a[70], between, b[70];
} s;

int main(void) {
  int i = below(70), j = below(70);
  int *p = __VERIFIER_nondet_int() ? &s.a[i] : &s.b[j];
  *p = 4;
  assert(s.between == 0);
  assert(s.b[i] == 0 || p == &s.a[i]);  //~ assertion
  return 0;
}
