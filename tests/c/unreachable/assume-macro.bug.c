//@ verdict: violation
#define ASSUME(c) if (!(c)) __builtin_unreachable()

static int half(int n) {
  ASSUME(n % 2 == 0);  //~ unreachable
  return n / 2;
}

int main(void) {
  return half(7) == 0;
}
