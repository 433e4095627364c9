//@ verdict: violation
//@ inputs: 1 1 1 1 1 1 1 1
//@ unbounded: assertion
//@ unwind: 9
// How often a counter was raised depends on each input, and comparing it with a constant becomes a condition in which it no longer stands.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static struct {
  int before[80];
  struct {
    unsigned char kind, len;
  } opts[6];
  int after;
  unsigned char n;
} s;

int main(void) {
  for (int i = 0; i < 8; i++) {
    unsigned char kind = __VERIFIER_nondet_uchar();
    if (kind == 0)
      continue;
    if (s.n > 6)
      break;
    s.opts[s.n].kind = kind;  //~ array-bounds
    s.opts[s.n].len = 1;
    s.n++;
  }
  assert(s.before[79] == 0 && s.after == 0);
  return 0;
}
