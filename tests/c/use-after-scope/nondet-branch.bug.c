//@ verdict: violation
//@ inputs: 1
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int big = 100;
  int *limit = &big;
  if (__VERIFIER_nondet_int() == 1) {
    int small = 10;
    limit = &small;
    if (*limit < big)
      limit = &small;
  }
  return *limit > 0 ? 0 : 1;  //~ use-after-scope
}
