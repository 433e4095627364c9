//@ verdict: violation
#include <stdlib.h>

static int process(int n) {
  int *work = malloc(10 * sizeof *work);  //~ memory-leak
  if (!work)
    return -1;
  work[0] = n;
  if (n < 0) {
    free(NULL);
    return -1;
  }
  free(work);
  return 0;
}

int main(void) {
  process(1);
  process(-1);
  return 0;
}
