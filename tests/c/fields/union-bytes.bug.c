//@ verdict: violation
//@ inputs: 7
// Both members of a union are the same bytes, whichever was indexed.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static union {
  int word[80];
  unsigned char byte[320];
} u;

int main(void) {
  int i = below(80);
  u.word[i] = 0x01020304;
  assert(u.byte[4 * i + 1] == 4);  //~ assertion
  return 0;
}
