//@ verdict: violation
//@ object: heap
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s) {
  char *p = malloc(strlen(s));
  if (p)
    strcpy(p, s);  //~ buffer-overflow
  return p;
}

int main(void) {
  char *p = copy("hello, world");
  free(p);
  return 0;
}
