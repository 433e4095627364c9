//@ verdict: safe
#include <stdio.h>
#include <stdlib.h>

struct config {
  int verbose;
  int level;
};

int main(void) {
  struct config *c = calloc(1, sizeof *c);
  if (!c)
    return 0;
  c->level = 3;
  if (c->verbose)
    printf("level %d\n", c->level);
  free(c);
  return 0;
}
