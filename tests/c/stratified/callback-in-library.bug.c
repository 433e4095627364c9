//@ verdict: violation
//@ unwind: 4
// The library calls back, and the callback writes.

#include <stdlib.h>

static int calls;

static int compare(const void *a, const void *b) {
  calls = 1;
  return *(const int *)a - *(const int *)b;
}

int main(void) {
  int list[2] = {2, 1};
  qsort(list, 2, sizeof *list, compare);
  __VERIFIER_assert(calls == 0);  //~ assertion
  return 0;
}
