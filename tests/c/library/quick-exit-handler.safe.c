//@ verdict: safe
// Handlers of quick_exit never ran.
#include <assert.h>
#include <stdlib.h>
static int done;
static void last(void) {
  assert(done);
}
int main(void) {
  done = 1;
  at_quick_exit(last);
  quick_exit(0);
}
