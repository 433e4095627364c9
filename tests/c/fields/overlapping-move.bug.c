//@ verdict: violation
//@ inputs: 5
// A range is moved onto itself inside one object.
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
  int before, list[80], after;
} s;

int main(void) {
  int i = below(79);
  s.list[i] = 6;
  memmove(&s.list[1], &s.list[0], 79 * sizeof(int));
  assert(s.list[i + 0] == 6 && s.after == 0);  //~ assertion
  return 0;
}
