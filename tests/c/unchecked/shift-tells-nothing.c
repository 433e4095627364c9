// A shift by too much has any value, and the program goes on: that it was executed says nothing of the amount.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1);
  unsigned amount = p ? 31 : 32;
  unsigned shifted = 1u << amount;
  assert(amount < 32 || shifted == 0);
  free(p);
  return 0;
}
