//@ verdict: safe
static int gcd(int a, int b) {
  while (b != 0) {
    int r = a % b;
    a = b;
    b = r;
  }
  return a;
}

int main(void) {
  return gcd(12, 18) == 5;
}
