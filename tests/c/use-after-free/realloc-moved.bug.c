//@ verdict: violation
#include <stdlib.h>

int main(void) {
  int *a = malloc(4 * sizeof *a);
  if (!a)
    return 0;
  a[0] = 7;
  int *b = realloc(a, 4000 * sizeof *b);
  if (!b) {
    free(a);
    return 0;
  }
  int first = a[0];  //~ use-after-free
  free(b);
  return first - 7;
}
