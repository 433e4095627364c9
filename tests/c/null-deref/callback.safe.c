//@ verdict: safe
#include <stddef.h>

struct handler {
  const char *name;
  int (*run)(int);
};

static int twice(int x) { return 2 * x; }

static const struct handler handlers[] = {{"twice", twice}, {"none", NULL}};

int main(void) {
  return handlers[0].run(3) == 6 ? 0 : 1;
}
