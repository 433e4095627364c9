//@ verdict: safe
//@ unwind: 5
// A copy of open length into a member of one of several rows changes that member of that row, as far as the length goes.
#include <assert.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct flow {
  int id;
  char name[12];
  int *sum;
};
static struct {
  int mode;
  struct flow flows[5];
  int last;
} s;
int main(void) {
  static int seven = 7;
  char text[12] = "abcdefghijk";
  int i = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (i < 0 || i >= 5 || n < 0 || n >= 12)
    return 0;
  s.mode = 7;
  for (int k = 0; k < 5; k++)
    s.flows[k].sum = &seven;
  memcpy(s.flows[i].name, text, (size_t)n);
  s.flows[i].name[n] = 0;
  assert(s.mode == 7 && s.last == 0 && *s.flows[2].sum == 7 && *s.flows[i].sum == 7);
  assert(n < 3 || s.flows[i].name[2] == 'c');
  assert(n > 5 || s.flows[i].name[6] == 0);
  assert((int)strlen(s.flows[i].name) == n);
  assert(i == 3 || s.flows[3].name[0] == 0);
  return 0;
}
