// The executions behind a read through null reach the assertion, and it holds there.
//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <stdlib.h>

struct device {
  int state;
};

int main(void) {
  char *p = malloc(1);
  struct device *device = NULL;
  if (p == NULL && device->state == 3)
    assert(p == NULL);
  free(p);
  return 0;
}
