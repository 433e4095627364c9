//@ verdict: violation
//@ object: heap
//@ inputs: 17
#include <stdlib.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 17)
    return 0;
  char *buffer = malloc(16);
  if (!buffer)
    return 0;
  memset(buffer, 0, n);  //~ buffer-overflow
  free(buffer);
  return 0;
}
