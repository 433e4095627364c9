//@ verdict: violation
//@ inputs: 3
// What a function writes to is the member that another one gave it.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct env {
  int mode, level;
  int hist[4];
};

static int *member(struct env *e, int which) {
  int *found = &e->hist[0];
  for (int k = 0; k < 2; k++)
    if (which == k)
      found = k ? &e->mode : &e->level;
  return found;
}

static void set(struct env *e, int which, int x) {
  int *p = member(e, which);
  for (int k = 0; k < 2; k++)
    *p += x;
}

int main(void) {
  static struct env e;
  int x = below(5);
  set(&e, 1, x);
  assert(e.hist[0] == 0);
  assert(e.mode == 0);  //~ assertion
  return 0;
}
