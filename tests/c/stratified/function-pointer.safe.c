//@ verdict: safe
// The call goes through a pointer.

static int up(int n) { return n + 1; }

static int down(int n) { return n - 1; }

static int apply(int (*f)(int), int n) { return f(n); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 10);
  int m = apply(n > 5 ? up : up, n);
  __VERIFIER_assert(m > n);
  return 0;
}
