//@ verdict: violation
//@ checks: assertion
// Was: safe. A struct is copied back as a whole on one of two paths. Where the paths joined, a member that had the same value on both was
// looked for below the values written last, and what lies there had become a choice: the copy's zeros on the path that copied.
void __VERIFIER_nondet_memory(void *, unsigned long);
struct s {
  int a, b;
  char rest[40];
};
int main(void) {
  struct s x, y = {0};
  __VERIFIER_nondet_memory(&x, sizeof x);
  _Bool copied = __VERIFIER_nondet_bool();
  if (copied) {
    y.a = x.a;
    x = y;
  }
  if (copied)
    __VERIFIER_assert(x.a != 7);  //~ assertion
  return 0;
}
