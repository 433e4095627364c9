//@ verdict: safe
int main(void) {
  int outer = 1;
  int *p = &outer;
  {
    int inner = 2;
    p = &outer;
    *p = inner;
  }
  return *p == 2 ? 0 : 1;
}
