#include <time.h>
static const char *names[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
int main(void) {
  time_t now = time(0);
  struct tm *t = localtime(&now);
  if (!t) return 0;
  return names[t->tm_mon][0];
}
