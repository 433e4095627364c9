//@ verdict: violation
// The model of clock_gettime knew every clock.
#include <assert.h>
#include <time.h>

int main(void) {
  struct timespec now = {0};
  int result = clock_gettime(999, &now);
  assert(result == 0);  //~ assertion
  return 0;
}
