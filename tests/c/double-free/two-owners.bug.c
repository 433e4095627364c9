//@ verdict: violation
//@ checks: -leak
#include <stdlib.h>

struct pair {
  char *a, *b;
};

int main(void) {
  struct pair p = {malloc(4), malloc(4)};
  free(p.a);
  free(p.a);  //~ double-free
  return 0;
}
