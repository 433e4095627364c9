//@ verdict: violation
#include <stdlib.h>

struct record {
  char *text;
};

static struct record *make(void) {
  struct record *r = malloc(sizeof *r);
  if (!r)
    return NULL;
  r->text = malloc(8);  //~ memory-leak
  return r;
}

static void destroy(struct record *r) {
  if (!r)
    return;
  free(NULL);
  free(r);
}

int main(void) {
  destroy(make());
  destroy(make());
  return 0;
}
