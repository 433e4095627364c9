// A division by zero has any value, and the program may go on: that it was executed says nothing of the divisor.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1);
  int divisor = p ? 5 : 0;
  int quotient = 100 / divisor;
  assert(divisor == 0 || quotient == 20);
  free(p);
  return 0;
}
