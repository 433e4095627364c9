//@ verdict: unknown
// It was `safe`: the function "changed nothing".
int elsewhere(int);
int count = 4;
int main(void) {
  int x = elsewhere(1);
  __VERIFIER_assert(count == 4);
  return x > 5;
}
