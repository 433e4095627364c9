//@ verdict: violation
//@ inputs: 4294967297
// Wegner counts bits by clearing the lowest one again and again.
static int count(unsigned long x) {
  int n = 0;
  for (int i = 0; x != 0 && i < 64; i++) {
    n++;
    x = x & (x - 1);
  }
  return n;
}
int main(void) {
  unsigned long x = __VERIFIER_nondet_ulong();
  __VERIFIER_assert(count(x) == __builtin_popcount(x));  //~ assertion
  return 0;
}
