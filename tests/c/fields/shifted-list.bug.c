//@ verdict: violation
//@ unwind: 6
//@ inputs: 2 2
// Elements of a member array are moved up by one, as many as there are: source and target overlap.
#include <assert.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
static struct {
  char name[40];
  int list[6];
  int end;
} s;
int main(void) {
  int at = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (at < 0 || n < 0 || at > 4 || n > 5 - at)
    return 0;
  for (int k = 0; k < 6; k++)
    s.list[k] = k;
  s.end = 9;
  s.name[39] = 'z';
  memmove(&s.list[at + 1], &s.list[at], (size_t)n * sizeof s.list[0]);
  assert(s.end == 9 && s.name[39] == 'z' && s.list[0] == 0);
  assert(n < 2 || s.list[at + 2] == at + 1);
  assert(at + n >= 5 || s.list[5] == 5);
  assert(s.list[4] == 4 || (at < 4 && at + n > 4));  //~ assertion
  return 0;
}
