//@ verdict: safe
// Only the element that was set is determinate.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct state {
  int mode, list[70];
};

int main(void) {
  struct state s;
  int i = below(69);
  s.mode = 1;
  s.list[i] = 2;
  int x = s.list[i + 0] + s.mode;
  return x == 3 ? 0 : 1;
}
