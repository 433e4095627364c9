//@ verdict: safe
#include <stdlib.h>

struct point {
  int x, y;
};

static void release(struct point **p) {
  free(*p);
  *p = NULL;
}

int main(void) {
  struct point *p = malloc(sizeof *p);
  if (!p)
    return 0;
  p->x = 1;
  release(&p);
  if (p)
    p->y = 2;
  return 0;
}
