//@ verdict: safe
//@ unwind: 4
// A copy and a comparison of a length that only what they read bounds: four bytes of a text stay in their row.
#include <assert.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static struct {
  char names[4][8];
  int hits;
} t;

int main(void) {
  char text[4];
  for (int i = 0; i < 4; i++)
    text[i] = __VERIFIER_nondet_char();
  unsigned char begin = __VERIFIER_nondet_uchar(), end = __VERIFIER_nondet_uchar(), at = __VERIFIER_nondet_uchar() & 3;
  __VERIFIER_assume(begin <= end && end <= 4);
  unsigned char len = (unsigned char)(end - begin);
  memcpy(t.names[at], text + begin, len);
  if (len == 3 && memcmp("let", text + begin, len) == 0)
    t.hits++;
  assert(t.hits == 0 || t.names[at][2] == 't');
  return 0;
}
