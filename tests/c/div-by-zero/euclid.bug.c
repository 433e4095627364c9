//@ verdict: violation
static int gcd(int a, int b) {
  while (a != 0) {
    int r = a % b;  //~ div-by-zero
    a = b;
    b = r;
  }
  return a;
}

int main(void) {
  return gcd(12, 18) == 5;
}
