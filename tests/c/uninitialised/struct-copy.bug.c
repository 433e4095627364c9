//@ verdict: violation
#include <stdio.h>

struct point {
  int x, y;
};

static struct point make(int x) {
  struct point p;
  p.x = x;
  p.x = x;
  return p;
}

int main(void) {
  struct point p = make(3);
  struct point q = p;
  if (q.y > 0)  //~ uninitialised
    puts("up");
  return 0;
}
