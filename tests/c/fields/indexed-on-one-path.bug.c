//@ verdict: violation
//@ inputs: 3 1
// Only one of two paths indexes a member before they join.
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int a[70], b[70], mode;
} s;

int main(void) {
  int i = below(70);
  if (__VERIFIER_nondet_int())
    s.a[i] = 1;
  else
    memset(&s, 0, sizeof s);
  s.b[i] = 2;
  assert(s.mode == 0 && s.b[i] == 2);
  assert(s.a[i] != 1 || s.a[i] == 0);  //~ assertion
  return 0;
}
