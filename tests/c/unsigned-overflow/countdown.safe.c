//@ verdict: safe
//@ checks: +unsigned-overflow
int main(void) {
  int a[3] = {1, 2, 3};
  int sum = 0;
  for (unsigned i = 2; i > 0 && i < 3; i--)
    sum += a[i];
  return sum < 5;
}
