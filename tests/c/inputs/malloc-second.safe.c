//@ verdict: safe
// The second allocation fails, the first does not.
#include <stdlib.h>
int main(void) {
  int *a = malloc(sizeof *a);
  if (a == NULL)
    return 0;
  int *b = malloc(sizeof *b);
  if (b != NULL) {
    *b = 1;
    free(b);
  }
  free(a);
  return 0;
}
