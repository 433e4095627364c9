//@ verdict: violation
#include <limits.h>

static long deadline(long now, long seconds) {
  if (seconds > LONG_MAX)
    return LONG_MAX;
  return now + seconds;  //~ signed-overflow
}

int main(void) {
  return deadline(100, LONG_MAX - 50) > 0 ? 0 : 1;
}
