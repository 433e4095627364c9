//@ verdict: safe
// A line of standard input, with the mark in it.
#include <stdio.h>
int main(void) {
  static const int table[4] = {1, 2, 3, 4};
  char line[8];
  if (fgets(line, sizeof line, stdin) == NULL || line[0] != '#' || line[1] < '0' || line[1] > '9')
    return 0;
  int n = line[1] - '0';
  return n < 4 ? table[n] : 0;
}
