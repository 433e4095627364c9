//@ verdict: safe
#include <stdlib.h>
#include <string.h>

static size_t build(void) {
  char *s = malloc(4);
  if (!s)
    return 0;
  strcpy(s, "abc");
  char *longer = realloc(s, 64);
  if (!longer) {
    free(s);
    return 0;
  }
  size_t n = strlen(longer);
  free(longer);
  return n;
}

int main(void) {
  size_t n = build();
  n += build();
  return n > 6;
}
