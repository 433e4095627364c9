//@ verdict: safe
#include <stdlib.h>
#include <string.h>

static void trim(char *s) {
  char *end = s + strlen(s);
  while (end > s && end[-1] == ' ')
    end--;
  *end = 0;
}

int main(void) {
  char *s = malloc(4);
  if (!s)
    return 0;
  strcpy(s, "   ");
  trim(s);
  free(s);
  return 0;
}
