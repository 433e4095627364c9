// Twin of structs-compared.safe.c: moved by nothing it is the same.
//@ verdict: violation
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
  assert(by == 1 || moved(all, by) != //~ assertion
         kept);
  return 0;
}
