//@ verdict: violation
// A harness of CBMC, without a header.
int main() {
  int table[4] = {0}, at = nondet_int();
  __CPROVER_assume(at >= 0 && at <= 4);
  if (at == 4)
    __CPROVER_assert(nondet_uchar() == 0, "never");  //~ assertion
  else
    table[at] = 1;
  return 0;
}
