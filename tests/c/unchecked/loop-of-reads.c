// Each read behind the array is a value of its own.
//@ verdict: unknown
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

static unsigned char bytes[4];

int main(void) {
  char *p = malloc(1);
  int n = p ? 4 : 6, sum = 0;
  for (int i = 0; i < n; i++)
    sum += bytes[i];
  assert(sum == 0 || sum == 2 * bytes[n - 1]);
  free(p);
  return 0;
}
