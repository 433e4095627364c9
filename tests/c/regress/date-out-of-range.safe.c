// `strptime` took a thirteenth month.
//@ verdict: safe
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <time.h>

int main(void) {
  struct tm date = {0};
  char *end = strptime("2020-13-01", "%Y-%m-%d", &date);
  assert(end == 0);
  return 0;
}
