//@ verdict: safe
// The array at the end of a struct is as long as what was allocated.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct text {
  int length, kind;
  int data[];
};

int main(void) {
  struct text *t = calloc(1, sizeof *t + 100 * sizeof(int));
  if (!t)
    return 0;
  t->data[below(100)] = 3;
  int *p = &t->data[below(50)];
  p[-0] = 8;
  int kind = t->kind;
  free(t);
  assert(kind == 0);
  return 0;
}
