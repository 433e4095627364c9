//@ verdict: violation
//@ native: none
// clang guards the index of `a[n]++` like that of `&a[n]`, which may be one past the last element: inside a struct nobody saw it.
struct row {
  int a[4];
  int b;
};
int main(void) {
  struct row row = {{0}, 7};
  int n = 4;
  row.a[n]++;  //~ array-bounds
  return row.b - 7;
}
