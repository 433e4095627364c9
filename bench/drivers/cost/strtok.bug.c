#include <string.h>
#include <stdio.h>
int main(void) {
  char line[64], *word[4]; int n = 0;
  if (!fgets(line, sizeof line, stdin)) return 0;
  for (char *p = strtok(line, " ,\n"); p && n <= 4; p = strtok(0, " ,\n"))
    word[n++] = p;
  return n > 0 ? word[n - 1][0] : 0;
}
