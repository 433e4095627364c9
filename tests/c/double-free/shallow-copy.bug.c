//@ verdict: violation
#include <stdlib.h>
#include <string.h>

struct text {
  char *chars;
};

static struct text copy_of(struct text t) {
  struct text c = t;
  if (t.chars == NULL) {
    c.chars = malloc(4);
    if (c.chars)
      memcpy(c.chars, t.chars, 4);
  }
  return c;
}

int main(void) {
  struct text a = {malloc(4)};
  if (!a.chars)
    return 0;
  strcpy(a.chars, "abc");
  struct text b = copy_of(a);
  free(a.chars);
  free(b.chars);  //~ double-free
  return 0;
}
