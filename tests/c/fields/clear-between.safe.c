//@ verdict: safe
// Clearing one member leaves those on both sides.
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
  int a[70];
  struct {
    int x, list[66];
  } mid;
  int b[70];
} s;

int main(void) {
  int i = below(70), j = below(66), k = below(70);
  s.a[i] = 1;
  s.mid.list[j] = 2;
  s.b[k] = 3;
  memset(&s.mid, 0, sizeof s.mid);
  assert(s.a[i] == 1 && s.b[k] == 3);
  assert(s.mid.list[j] == 0);
  return 0;
}
