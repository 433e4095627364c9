//@ verdict: violation
//@ inputs: 9
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= n && n < 10);
  int sum = 0;
  for (int i = 0; i <= n; i++)
    sum += i;
  if (sum > 44)
    reach_error();  //~ assertion
  return 0;
}
