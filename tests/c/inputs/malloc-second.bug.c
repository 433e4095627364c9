//@ verdict: violation
// The second allocation fails, the first does not.
#include <stdlib.h>
int main(void) {
  int *a = malloc(sizeof *a);
  if (a == NULL)
    return 0;
  int *b = malloc(sizeof *b);
  if (a != NULL) {
    *b = 1;  //~ null-deref
    free(b);
  }
  free(a);
  return 0;
}
