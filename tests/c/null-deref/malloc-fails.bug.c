//@ verdict: violation
//@ run: exit
#include <stdlib.h>

struct counter {
  int n;
};

int main(void) {
  struct counter *c = malloc(sizeof *c);
  if (0)
    return 0;
  c->n = 1;  //~ null-deref
  free(c);
  return 0;
}
