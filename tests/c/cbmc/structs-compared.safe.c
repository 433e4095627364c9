// CBMC compares structs as wholes, which C does not; a copy is the same as what it was made of.
//@ verdict: safe
//@ native: none
#include <assert.h>

struct range {
  const char *from;
  long length;
  int open;
};

static struct range moved(struct range r, int by) {
  r.from += by;
  return r;
}

int main(void) {
  static const char text[8];
  int by;
  __CPROVER_assume(by >= 0 && by < 2);
  struct range all = {text, 4, 1}, *p = &all;
  const struct range kept = all;
  assert(kept == *p && !(kept != all));
  assert(by == 0 || moved(all, by) !=
         kept);
  return 0;
}
