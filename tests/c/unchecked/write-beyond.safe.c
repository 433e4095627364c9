// A write inside of an array changes no other one.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

static int first[4], second[4];

int main(void) {
  char *p = malloc(1);
  int i = p ? 3 : 2;
  first[i] = 1;
  assert(second[0] == 0);
  free(p);
  return 0;
}
