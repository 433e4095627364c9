//@ verdict: violation
//@ inputs: 64
extern unsigned __VERIFIER_nondet_uint(void);

static int bit(unsigned long word, unsigned n) {
  return word >> n & 1;  //~ shift
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 64)
    return 0;
  return bit(0, n);
}
