//@ verdict: violation
int main(void) {
  int last = 0;
  int *p = &last;
  for (int i = 0; i < 3; i++) {
    int square = i * i;
    if (square > last) {
      last = square;
      p = &square;
    }
  }
  return *p - 4;  //~ use-after-scope
}
