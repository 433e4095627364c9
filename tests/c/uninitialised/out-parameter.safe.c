//@ verdict: safe
#include <stdio.h>

static int parse_digit(char c, int *value) {
  if (c < '0' || c > '9')
    return -1;
  *value = c - '0';
  return 0;
}

int main(void) {
  int value;
  int status = parse_digit('4', &value);
  if (value > 3 && status <= 0)
    puts("large");
  return 0;
}
