// What lies behind an array may be another variable: a write to that one changes what is read there.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

static int first[4], second[4];

int main(void) {
  char *p = malloc(1);
  int i = p ? 3 : 4;
  int before = first[i];
  second[0] = before + 1;
  assert(first[i] == before);
  free(p);
  return 0;
}
