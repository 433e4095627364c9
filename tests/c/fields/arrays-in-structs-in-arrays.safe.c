//@ verdict: safe
// An index into an inner array stays inside its element.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct row {
  int key;
  short cells[6];
};
static struct {
  int count;
  struct row rows[40];
} s;

int main(void) {
  s.rows[below(40)].cells[below(6)] = 1;
  s.rows[below(40)].key = 2;
  int i = below(40), j = below(6);
  assert(s.rows[i].cells[j] != 2);
  assert(s.rows[i].key != 1);
  return 0;
}
