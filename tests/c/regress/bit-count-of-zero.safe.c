//@ verdict: safe
// The number of leading zeros of 0 is undefined; the builtin gave 32 without a word.
//@ inputs: 1
extern unsigned __VERIFIER_nondet_uint(void);

static int bits(unsigned x) {
  return 32 - __builtin_clz(x);
}

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  if (x < 1)
    return 0;
  return bits(x) > 32;
}
