//@ verdict: bounded
//@ run: exit
//@ native: none
//@ unwind: 5
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned sum = 0;
  if (n > 6)
    return 0;
  for (unsigned i = 0; i < n; i++)  //~ unwinding
    sum += i;
  return sum > 100;
}
