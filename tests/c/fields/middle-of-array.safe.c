//@ verdict: safe
// A pointer into the middle of an array of structs goes both ways.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct rec {
  int key, value;
};
static struct {
  int head;
  struct rec recs[80];
} s;

int main(void) {
  struct rec *p = &s.recs[40];
  p[below(80) - 40].value = 2;
  p[-40].key = 1;
  int k = below(79);
  assert(s.recs[k].key == 0 || k == 0);
  assert(s.recs[k].value != 2 || k < 79);
  return 0;
}
