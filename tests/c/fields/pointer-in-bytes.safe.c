//@ verdict: safe
// A pointer is kept in an array of bytes and taken out again.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static int target[3];
static struct {
  int tag;
  unsigned char raw[80];
} s;

int main(void) {
  int *p = &target[1], *q;
  int at = below(8) * 8;
  __builtin_memcpy(&s.raw[at], &p, sizeof p);
  s.tag = 1;
  __builtin_memcpy(&q, &s.raw[at], sizeof q);
  *q = 6;
  assert(target[1] == 6);
  return 0;
}
