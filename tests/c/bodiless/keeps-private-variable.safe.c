//@ verdict: safe
// A function without a body can't change a variable that nobody else can name.
int elsewhere(int);
static int count = 4;
int main(void) {
  int x = elsewhere(1);
  __VERIFIER_assert(count == 4);
  return x > 5;
}
