//@ verdict: safe
//@ inputs: 20000,0
// Whether the products fit follows from the comparisons on the way.
int main(void) {
  int y = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
  if (-4681 < y && y < 4681 && -32767 < x && x < 32767) {
    int a = 7 * y * y - 1;
    __VERIFIER_assert(a == x * x || a != x * x);
  }
  return 0;
}
