//@ verdict: safe
//@ inputs: 4
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int a[4] = {0, 0, 0, 0};
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < 4);
  a[i] = 1;
  return a[0] + a[1] + a[2] + a[3] - 1;
}
