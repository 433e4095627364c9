//@ verdict: safe
//@ slow: heap objects under a loop make many array lemmas
#include <stdlib.h>

int main(void) {
  int n = 5;
  int *a = malloc(n * sizeof *a);
  if (!a)
    return 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  free(a);
  return 0;
}
