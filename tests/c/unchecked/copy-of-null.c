// A struct copied from a null pointer is not known.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

struct pair {
  long first[4];
};

int main(void) {
  struct pair one = {{1, 2, 3, 4}}, *p = malloc(sizeof *p);
  if (p != NULL)
    *p = one;
  struct pair two = *p;
  assert(two.first[0] == 1);
  free(p);
  return 0;
}
