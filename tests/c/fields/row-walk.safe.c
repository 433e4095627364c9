//@ verdict: safe
// A pointer to a row runs on into the next.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int before, grid[10][12], after;
} s;

int main(void) {
  int *row = &s.grid[below(9)][0];
  row[below(23)] = 4;
  assert(s.grid[9][11] == 0 && s.after == 0);
  return 0;
}
