//@ verdict: violation
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *line = malloc(8);
  if (!line)
    return 0;
  strcpy(line, "  x");
  char *p = line;
  while (*p == ' ')
    p++;
  free(p);  //~ invalid-free
  return 0;
}
