//@ verdict: violation
#include <stddef.h>

struct event {
  int *context;
};

static struct event pending;
static int fallback = 5;

static void schedule(void) {
  int local = 5;
  pending.context = &local;
  *pending.context = local;
}

int main(void) {
  schedule();
  return *pending.context - 5;  //~ use-after-scope
}
