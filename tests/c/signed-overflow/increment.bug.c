//@ verdict: violation
//@ inputs: 2147483647
#include <limits.h>

extern int __VERIFIER_nondet_int(void);

static int counter;

static void tick(void) {
  if (counter <= INT_MAX)
    counter++;  //~ signed-overflow
}

int main(void) {
  counter = __VERIFIER_nondet_int();
  tick();
  return 0;
}
