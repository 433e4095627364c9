//@ verdict: safe
#include <stdlib.h>

static char shared[32];

static char *acquire(int size) {
  return size <= 32 ? shared : malloc(size);
}

static void drop(char *p) {
  if (p != shared)
    free(p);
}

int main(void) {
  drop(acquire(16));
  return 0;
}
