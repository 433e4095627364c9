#include <stdio.h>
int main(void) {
  char line[64];
  int a = 0, b = 0, t[10];
  if (!fgets(line, sizeof line, stdin)) return 0;
  if (sscanf(line, "%d,%d", &a, &b) == 2 && a >= 0 && a <= 10)
    t[a] = 1;
  return 0;
}
