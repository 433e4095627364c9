//@ verdict: violation
//@ slow: heap objects under a loop make many array lemmas
#include <stdlib.h>

static int parse(char *buffer, int c) {
  if (c < 0) {
    free(buffer);
    return -1;
  }
  buffer[0] = (char)c;
  return 0;
}

int main(void) {
  char *buffer = malloc(16);
  if (!buffer)
    return 0;
  if (parse(buffer, -1) < -1)
    return 0;
  free(buffer);  //~ double-free
  return 0;
}
