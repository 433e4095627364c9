//@ verdict: violation
//@ inputs: 5
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > -10 && x < 100)
    return 100 / (x - 5) == 1;  //~ div-by-zero
  return 0;
}
