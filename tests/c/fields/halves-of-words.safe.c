//@ verdict: safe
// Words are written, halves are read.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

static struct {
  int before, word[70];
} s;

int main(void) {
  int i = below(70);
  s.word[i] = 0x00050006;
  short *half = (short *)s.word;
  assert(half[2 * i] == 6);
  half[2 * i + 1] = 9;
  assert(s.word[i] == 0x00090006);
  return 0;
}
