//@ verdict: safe
int main(void) {
  int last = 0;
  int *p = &last;
  for (int i = 0; i < 3; i++) {
    int square = i * i;
    if (square > last) {
      last = square;
      p = &last;
    }
  }
  return *p - 4;
}
