//@ verdict: safe
//@ unwind: 7
// The index is one of several bytes of text, of which a test leaves few numbers: it means places in one member, whatever each byte could be.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static struct {
  unsigned char text[6];
  int before[80];
  unsigned count[8];
  int after;
} s;

int main(void) {
  for (int i = 0; i < 6; i++)
    s.text[i] = __VERIFIER_nondet_uchar();
  unsigned char at = __VERIFIER_nondet_uchar();
  __VERIFIER_assume(at < 6);
  unsigned char kind = s.text[at];
  if (kind > 7)
    return 0;
  s.count[kind] = 3;
  assert(s.before[79] == 0 && s.after == 0);
  return 0;
}
