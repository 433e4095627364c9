// Outside the lines that a pragma of CBMC's holds for, its check is made.
//@ verdict: violation
//@ checks: memory,unsigned-overflow,signed-overflow,assertion
//@ native: none
#include <assert.h>

unsigned nondet_unsigned(void);

#pragma CPROVER check push
#pragma CPROVER check disable "unsigned-overflow"
static unsigned mixed(unsigned x) {
  return x * 31 + 7;
}
#pragma CPROVER check pop

static unsigned added(unsigned x) {
  __CPROVER_assume(x > 1000);
  return x + 1; //~ unsigned-overflow
}

int main(void) {
  unsigned x = nondet_unsigned();
  unsigned y = mixed(x), z = added(x);
  assert(y == mixed(x) && z > 0);
  return 0;
}
