//@ verdict: safe
//@ unwind: 4
// A row that is cleared as a whole is one row; the others keep their pointers.
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
  int x = 5, i = __VERIFIER_nondet_int();
  if (i < 0 || i >= 4)
    return 0;
  s.before = s.after = 1;
  for (int k = 0; k < 4; k++) {
    s.rows[k].to = &x;
    s.rows[k].left = (short)k;
    s.rows[k].tag[1] = 'x';
  }
  memset(&s.rows[i], 0, sizeof s.rows[i]);
  assert(s.before == 1 && s.after == 1);
  assert(s.rows[i].to == 0 && s.rows[i].left == 0 && s.rows[i].tag[1] == 0);
  assert(i == 2 || *s.rows[2].to == 5);
  assert(i == 1 || s.rows[1].to != 0);
  return 0;
}
