//@ verdict: violation
//@ checks: +unsigned-overflow
//@ inputs: 4294967290,10
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void) {
  unsigned offset = __VERIFIER_nondet_uint();
  unsigned length = __VERIFIER_nondet_uint();
  __VERIFIER_assume(length <= 0xFFFFFFFFu);
  return offset + length < length;  //~ unsigned-overflow
}
