//@ verdict: violation
#include <stddef.h>

struct handler {
  const char *name;
  int (*run)(int);
};

static int twice(int x) { return 2 * x; }

static const struct handler handlers[] = {{"twice", twice}, {"none", NULL}};

int main(void) {
  return handlers[1].run(3) == 6 ? 0 : 1;  //~ null-deref
}
