//@ verdict: safe
//@ inputs: 3
extern unsigned __VERIFIER_nondet_uint(void);

static int next(unsigned state) {
  if (state == 0)
    return 1;
  if (state == 1)
    return 2;
  if (state == 2)
    return 0;
  __builtin_unreachable();
}

int main(void) {
  unsigned state = __VERIFIER_nondet_uint();
  return next(state % 3) == 9;
}
