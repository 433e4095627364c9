#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static void fill(char *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = (char)('a' + i);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 2 || n > 6)
    return 0;
  char *p = malloc(5);
  if (!p)
    return 0;
  fill(p, n);
  free(p);
  return 0;
}
