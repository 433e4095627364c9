//@ verdict: unknown
// Nobody knows whether `done` frees.
#include <stdlib.h>
void done(int *item);
int main(void) {
  static int *item;
  item = malloc(sizeof *item);
  if (!item) return 1;
  *item = 1;
  done(item);
  free(item);
  return 0;
}
