//@ verdict: violation
static int flag(int n) {
  return 1 << n;  //~ shift
}

int main(void) {
  return flag(31) == 5;
}
