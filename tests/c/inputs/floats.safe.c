//@ verdict: safe
// Inputs of several types, floats among them.
double __VERIFIER_nondet_double(void);
unsigned char __VERIFIER_nondet_uchar(void);
_Bool __VERIFIER_nondet_bool(void);
int main(void) {
  double d = __VERIFIER_nondet_double();
  unsigned char c = __VERIFIER_nondet_uchar();
  if (d > 2.5 && d < 2.75 && c > 200 && __VERIFIER_nondet_bool())
    return 1 / (c - 200);
  return 0;
}
