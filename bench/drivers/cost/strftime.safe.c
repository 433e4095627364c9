#include <time.h>
#include <stdio.h>
int main(void) {
  char text[20];
  time_t now = time(0);
  struct tm *t = localtime(&now);
  if (!t || strftime(text, sizeof text, "%Y-%m-%d", t) == 0) return 1;
  puts(text);
  return text[9];
}
