// Twin of const-members.safe.c: what was not assigned holds 0.
//@ verdict: violation
//@ native: none
#include <assert.h>

struct inner {
  int (*const apply)(const char *);
  const unsigned char tag;
};

struct text {
  const char *const bytes;
  const long length;
  const struct inner kind;
};

static int zero(const char *s) {
  return s[0] == 0;
}

int main(void) {
  static const char none[1];
  long n;
  __CPROVER_assume(n >= 0);
  struct text t = {none, n, {zero, 3}}, old = {0};
  if (n > 5)
    old = t;
  assert(n <= 5 || old.length == n && old.kind.apply(old.bytes) && old.kind.tag == 3);
  assert(n > 5 || old.length == 1); //~ assertion
  return 0;
}
