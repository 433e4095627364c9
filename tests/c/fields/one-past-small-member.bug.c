//@ verdict: violation
//@ inputs: 6
//@ unbounded: assertion
// The same with an array that is written cell by cell.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct state {
  int list[6], next;
};

static void set(struct state *s, int i) { s->list[i] = 9; }  //~ array-bounds

int main(void) {
  struct state s = {{0}, 0};
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 6)
    return 0;
  set(&s, i);
  assert(s.next == 0);
  return 0;
}
