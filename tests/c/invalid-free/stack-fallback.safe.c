//@ verdict: safe
#include <stdlib.h>

int main(void) {
  char small[16];
  size_t need = 8;
  char *buffer = need > sizeof small ? malloc(need) : small;
  if (buffer != small)
    free(buffer);
  return 0;
}
