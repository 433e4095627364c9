//@ verdict: safe
// One past a member array is the next member.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static struct {
  int list[70], next;
} s;

int main(void) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < 70);
  s.list[i] = 9;
  assert(s.next == 0);
  return 0;
}
