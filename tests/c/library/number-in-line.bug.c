//@ verdict: violation
//@ run: exit
// sscanf on a line that was read.
#include <stdio.h>
int main(void) {
  char line[32];
  int x, table[4] = {0};
  if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "%d", &x) != 1)
    return 0;
  if (x < 0 || x > 4)
    return 0;
  return table[x];  //~ array-bounds
}
