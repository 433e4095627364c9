//@ verdict: violation
int main(void) {
  int outer = 1;
  int *p = &outer;
  {
    int inner = 2;
    p = &inner;
    *p = inner;
  }
  return *p == 2 ? 0 : 1;  //~ use-after-scope
}
