//@ verdict: safe
//@ run: exit
#include <stdlib.h>

struct counter {
  int n;
};

int main(void) {
  struct counter *c = malloc(sizeof *c);
  if (!c)
    return 0;
  c->n = 1;
  free(c);
  return 0;
}
