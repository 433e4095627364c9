//@ verdict: safe
static int *counter(void) {
  static int n = 41;
  int *p = &n;
  return p;
}

int main(void) {
  int *p = counter();
  *p += 1;
  return 0;
}
