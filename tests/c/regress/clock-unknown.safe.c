//@ verdict: safe
// The model of clock_gettime knew every clock.
#include <assert.h>
#include <time.h>

int main(void) {
  struct timespec now = {0};
  int result = clock_gettime(0, &now);
  assert(result == 0);
  return 0;
}
