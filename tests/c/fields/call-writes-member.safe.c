//@ verdict: safe
//@ inputs: 3
//@ unwind: 10
// A function with a loop writes one member and leaves another.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct env {
  int mode, count;
  int hist[40];
  int last;
};

static void work(struct env *e, int x) {
  for (int k = 0; k < 4; k++)
    e->hist[(x + k) & 31] += k;
  e->count = x;
}

int main(void) {
  static struct env e;
  e.mode = e.count = e.last = 7;
  work(&e, below(7));
  assert(e.last == 7 && e.hist[35] == 0);
  assert(e.mode == 7);
  return 0;
}
