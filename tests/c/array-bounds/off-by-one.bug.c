//@ verdict: violation
int main(void) {
  int squares[10];
  int sum = 0;
  for (int i = 0; i <= 10; i++)
    squares[i] = i * i;  //~ array-bounds
  for (int i = 0; i < 10; i++)
    sum += squares[i];
  return sum == 285 ? 0 : 1;
}
