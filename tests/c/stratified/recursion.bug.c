//@ verdict: violation
//@ inputs: 4
//@ unwind: 6
// The callee calls itself.

static int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n <= 4);
  int s = sum(n);
  __VERIFIER_assert(s < 10);  //~ assertion
  return 0;
}
