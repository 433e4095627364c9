//@ verdict: safe
//@ unwind: 4
// One row is copied over another one, its pointer with it, also onto itself.
#include <assert.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct row {
  char tag[3];
  int *to;
  short left;
};
static struct {
  int before;
  struct row rows[4];
  int after;
} s;
int main(void) {
  int x = 5, y = 7, i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  if (i < 0 || i >= 4 || j < 0 || j >= 2)
    return 0;
  for (int k = 0; k < 4; k++) {
    s.rows[k].to = k < 2 ? &y : &x;
    s.rows[k].left = (short)(k < 2);
  }
  memmove(&s.rows[i], &s.rows[j], sizeof s.rows[i]);
  assert(*s.rows[i].to == 7 && s.rows[i].left == 1);
  assert(s.before == 0 && s.after == 0 && *s.rows[0].to == 7);
  assert(i == 2 || *s.rows[2].to != 7);
  return 0;
}
