//@ verdict: violation
// strdup has no memory.
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *copy = strdup("text");
  if (1)
    copy[0] = 'T';  //~ null-deref
  free(copy);
  return 0;
}
