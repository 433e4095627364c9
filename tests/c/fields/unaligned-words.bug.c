//@ verdict: violation
//@ inputs: 0 5
// Words begin at any byte of a buffer between two members.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int before;
  char raw[100];
  int after;
} s;

int main(void) {
  int i = below(97), v = 0x04030201, w;
  s.raw[below(100)] = 1;
  __builtin_memcpy(&s.raw[i], &v, sizeof v);
  __builtin_memcpy(&w, &s.raw[i], sizeof w);
  assert(w == v && s.after == 0);
  assert(s.raw[i + 1] == 3);  //~ assertion
  return 0;
}
