//@ verdict: safe
//@ alloc: succeeds
//@ inputs: 12345
// Where allocations can't fail, the engine left their outcome out of the inputs and the run still asked for it: every
// input after an allocation was off by one, and no violation behind it was ever confirmed.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(10);
  int x = __VERIFIER_nondet_int();
  p[x == 12345 ? 9 : 0] = 1;  //~ buffer-overflow
  free(p);
  return 0;
}
