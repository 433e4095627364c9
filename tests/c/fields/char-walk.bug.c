//@ verdict: violation
//@ inputs: 3 285
// A pointer to characters walks over all members.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int first, list[70], last;
} s;

int main(void) {
  char *p = (char *)&s;
  s.list[below(70)] = 5;
  p[below((int)sizeof s - 3)] = 1;
  assert(s.last == 0);  //~ assertion
  return 0;
}
