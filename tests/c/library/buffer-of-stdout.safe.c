//@ verdict: safe
// A buffer given to stdout looked like a leak.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *p = malloc(BUFSIZ);
  if (p == NULL)
    return 0;
  setvbuf(stdout, p, _IOFBF, BUFSIZ);
  return 0;
}
