//@ verdict: violation
//@ inputs: -3
// Machines pass a small integer extended, and hand over the low part of a result: what C leaves undefined is clear there.
static int twice(int n) { return n * 2; }
static int calls;
static void count(void) { calls++; }
int main(void) {
  signed char c = __VERIFIER_nondet_char();
  __VERIFIER_assume(-8 < c && c < 8);
  signed char (*as_char)(signed char) = (signed char (*)(signed char))twice;
  int (*with_result)(int) = (int (*)(int))count;
  with_result(1);
  __VERIFIER_assert(as_char(c) == 2 * c && calls == 1 && c != -3);  //~ assertion
  return 0;
}
