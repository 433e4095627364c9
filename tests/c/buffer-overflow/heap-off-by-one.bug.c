//@ verdict: violation
//@ slow: heap objects under a loop make many array lemmas
//@ object: heap
#include <stdlib.h>

int main(void) {
  int n = 5;
  int *a = malloc(n * sizeof *a);
  if (!a)
    return 0;
  for (int i = 0; i <= n; i++)
    a[i] = i;  //~ buffer-overflow
  free(a);
  return 0;
}
