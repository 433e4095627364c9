//@ verdict: violation
static int *counter(void) {
   int n = 41;
  int *p = &n;
  return p;
}

int main(void) {
  int *p = counter();
  *p += 1;  //~ use-after-scope
  return 0;
}
