//@ verdict: violation
static const int *tail(const int *a, int n) {
  int copy[4];
  for (int i = 0; i < n; i++)
    copy[i] = a[i];
  const int *from = copy;
  return from + 2;
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  const int *p = tail(a, 4);
  return p[0] - 3;  //~ use-after-scope
}
