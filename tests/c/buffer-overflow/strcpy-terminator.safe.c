//@ verdict: safe
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s) {
  char *p = malloc(strlen(s) + 1);
  if (p)
    strcpy(p, s);
  return p;
}

int main(void) {
  char *p = copy("hello, world");
  free(p);
  return 0;
}
