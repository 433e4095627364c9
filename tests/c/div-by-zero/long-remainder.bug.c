//@ verdict: violation
//@ inputs: 0
extern long __VERIFIER_nondet_long(void);

static long next(long seed, long range) {
  if (range < 0)
    return 0;
  return seed % range;  //~ div-by-zero
}

int main(void) {
  return next(12345, __VERIFIER_nondet_long()) < 0;
}
