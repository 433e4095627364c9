// A write through a null pointer changes no variable: the one that the pointer means on other paths keeps its value.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int kept = 1, *p = malloc(4), *q = p ? &kept : NULL;
  *q = 2;
  assert(kept == 1 + (p != NULL));
  free(p);
  return 0;
}
