//@ verdict: safe
//@ inputs: 1
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int id;
};

int main(void) {
  struct item *items = malloc(4 * sizeof *items);
  if (!items)
    return 0;
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 0)
    i = 0;
  free(&items[i]);
  return 0;
}
