//@ verdict: safe
#include <stdlib.h>

int main(void) {
  char *old = malloc(4);
  if (!old)
    return 0;
  char *grown = realloc(old, 64);
  if (!grown) {
    free(old);
    return 0;
  }
  free(grown);
  if (grown == NULL)
    free(grown);
  return 0;
}
