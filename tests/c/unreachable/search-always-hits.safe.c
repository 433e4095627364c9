//@ verdict: safe
static int index_of(const int *a, int n, int wanted) {
  for (int i = 0; i < n; i++)
    if (a[i] == wanted)
      return i;
  __builtin_unreachable();
}

int main(void) {
  int a[3] = {5, 6, 7};
  return index_of(a, 3, 7) == 9;
}
