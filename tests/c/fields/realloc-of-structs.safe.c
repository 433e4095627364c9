//@ verdict: safe
// Structs keep their members when the array moves.
#include <assert.h>
#include <stdlib.h>
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

int main(void) {
  struct rec *p = calloc(70, sizeof *p);
  if (!p)
    return 0;
  int i = below(70);
  p[i].value = 3;
  struct rec *q = realloc(p, 100 * sizeof *q);
  if (!q) {
    free(p);
    return 0;
  }
  int value = q[i].value, key = q[i].key;
  free(q);
  assert(value == 3 && key == 0);
  return 0;
}
