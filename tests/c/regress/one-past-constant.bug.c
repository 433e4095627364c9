//@ verdict: violation
//@ native: none
// The same with a constant index, where clang has decided the guard already.
struct row {
  int a[4];
  int b;
};
int main(void) {
  struct row row = {{0}, 7};
  row.a[4]--;  //~ array-bounds
  int *end = &row.a[4];
  return end == row.a;
}
