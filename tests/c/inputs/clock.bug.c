//@ verdict: violation
// The time of day.
#include <time.h>
int main(void) {
  time_t now = time(NULL);
  int hour = (int)(now / 3600 % 24);
  return 23 >= hour ? 100 / (23 - hour) : 0;  //~ div-by-zero
}
