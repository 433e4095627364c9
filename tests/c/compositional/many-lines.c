//@ verdict: violation
//@ checks: memory
// A list that grows with each line and is never asked whether there is room: a thousand lines fill it, and no condition on one of them says so.
#include <stdio.h>

static int sums[1000];
static int used;

static void keep(const char *line) {
  int sum = 0;
  for (int i = 0; line[i] != 0; i++)
    sum += line[i];
  sums[used++] = sum;  //~ array-bounds
}

int main(void) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL)
    keep(line);
  return sums[0] == 7;
}
