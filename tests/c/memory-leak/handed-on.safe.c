//@ verdict: safe
// What a function only hands on is lost by its caller: that is where the leak is.
#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p)
    exit(2);
  return p;
}

static char *xstrdup(const char *s) {
  char *copy = xmalloc(strlen(s) + 1);
  strcpy(copy, s);
  return copy;
}

static size_t length(const char *s) {
  char *mine = xstrdup(s);
  size_t n = strlen(mine);
  free(mine);
  return n;
}

int main(void) {
  char *kept = xstrdup("kept");
  size_t n = length("lost") + strlen(kept);
  free(kept);
  return n != 8;
}
