//@ verdict: safe
// The callee writes through a pointer it is given.

static void set(int *to, int n) {
  if (n > 3)
    *to = n;
}

int main(void) {
  int limit = 4;
  set(&limit, 4);
  __VERIFIER_assert(limit == 4);
  return 0;
}
