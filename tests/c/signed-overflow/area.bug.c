//@ verdict: violation
//@ inputs: 50000,50000
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int width = __VERIFIER_nondet_int();
  int height = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 < width && width <= 50000);
  __VERIFIER_assume(0 < height && height <= 50000);
  return width * height > 0 ? 0 : 1;  //~ signed-overflow
}
