//@ verdict: safe
static int flag(int n) {
  return 1 << n;
}

int main(void) {
  return flag(30) == 5;
}
