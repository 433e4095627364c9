//@ verdict: safe
// The handler of SIGABRT did not run on abort().
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
static int state;
static void handler(int number) {
  assert(state == 2);
}
int main(void) {
  signal(SIGABRT, handler);
  state = 2;
  abort();
}
