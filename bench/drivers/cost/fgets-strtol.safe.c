#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64], *end;
  int t[16];
  if (!fgets(line, sizeof line, stdin)) return 0;
  unsigned long n = strtoul(line, &end, 16);
  if (end == line || n >= 16) return 1;
  t[n] = 1;
  return 0;
}
