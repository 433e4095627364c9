//@ verdict: violation
//@ run: exit
//@ native: none
// Was `safe`, as `free(p); wprintf(L"%ls", p)` was.
#include <stdlib.h>
void show(const char *text);
int main(void) {
  char *p = malloc(4);
  if (!p) return 1;
  p[0] = 0;
  free(p);
  show(p);  //~ use-after-free
  return 0;
}
