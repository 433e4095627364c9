//@ verdict: violation
//@ alloc: succeeds
// The callee frees what it is given, if told so.

#include <stdlib.h>

static void done(int *p, int really) {
  if (really)
    free(p);
}

int main(void) {
  int *p = malloc(sizeof *p);
  if (!p)
    return 0;
  *p = 3;
  done(p, 1);
  int n = *p;  //~ use-after-free
  free(p);
  return n - 3;
}
