//@ verdict: violation
//@ inputs: 1
// The program ends inside the callee, where nobody holds the memory any more.

#include <stdlib.h>

static char *kept;

static void stop(int n) {
  kept = 0;
  if (n)
    exit(0);
}

int main(void) {
  kept = malloc(10);  //~ memory-leak
  stop(__VERIFIER_nondet_int());
  free(kept);
  return 0;
}
