//@ verdict: violation
// A pointer one past the end kept the object for the symbolic engines, not for the interpreter and LeakSanitizer: a wrong `safe`.
#include <stdlib.h>
static int *cur;
int main(void) {
  int *a = malloc(12);  //~ memory-leak
  if (!a) return 1;
  cur = a;
  for (int i = 0; i < 3; i++) *cur++ = i;
  return 0;
}
