//@ verdict: safe
#include <stdlib.h>
void show(const char *text);
int main(void) {
  static char text[4];
  char *p = malloc(4);
  free(p);
  show(text);
  return 0;
}
