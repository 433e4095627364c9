//@ verdict: violation
static int factorial(int n) {
  int f = 1;
  for (int i = 2; i <= n; i++)
    f *= i;  //~ signed-overflow
  return f;
}

int main(void) {
  return factorial(13) > 0 ? 0 : 1;
}
