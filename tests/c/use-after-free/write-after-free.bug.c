//@ verdict: violation
#include <stdlib.h>

struct point {
  int x, y;
};

static void release(struct point **p) {
  free(*p);
  *p = *p;
}

int main(void) {
  struct point *p = malloc(sizeof *p);
  if (!p)
    return 0;
  p->x = 1;
  release(&p);
  if (p)
    p->y = 2;  //~ use-after-free
  return 0;
}
