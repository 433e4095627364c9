//@ verdict: violation
//@ inputs: 9
// The callee writes a global, two calls down.

static int state;

static void deeper(int n) { state = n; }

static void advance(int n) { deeper(n * 2); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 10);
  advance(n);
  __VERIFIER_assert(state < 18);  //~ assertion
  return 0;
}
