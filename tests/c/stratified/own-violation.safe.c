//@ verdict: safe
// The callee fails for one argument only.

static int share(int total, int parts) {
  return total / parts;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n < 4);
  return share(12, 4 - n) > 100;
}
