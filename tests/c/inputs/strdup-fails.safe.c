//@ verdict: safe
// strdup has no memory.
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *copy = strdup("text");
  if (copy)
    copy[0] = 'T';
  free(copy);
  return 0;
}
