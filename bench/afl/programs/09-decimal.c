/* A number as text, and a condition on its value. */
#include <stdlib.h>
#include <stdio.h>
#include <ctype.h>
int main(void) {
  unsigned value = 0;
  int c, digits = 0;
  while ((c = getchar()) != EOF && isdigit(c) && digits < 9) {
    value = value * 10 + (unsigned)(c - '0');
    digits++;
  }
  if (c == ';' && value % 7919 == 1234 && value > 40000000)
    abort();
  return 0;
}
