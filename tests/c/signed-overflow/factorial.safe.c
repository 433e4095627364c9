//@ verdict: safe
static int factorial(int n) {
  int f = 1;
  for (int i = 2; i <= n; i++)
    f *= i;
  return f;
}

int main(void) {
  return factorial(12) > 0 ? 0 : 1;
}
