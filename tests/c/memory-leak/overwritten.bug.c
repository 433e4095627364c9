//@ verdict: violation
#include <stdlib.h>

static char *name;

static void set_name(char c) {
  char *fresh = malloc(2);  //~ memory-leak
  if (!fresh)
    return;
  fresh[0] = c;
  fresh[1] = 0;
  free(NULL);
  name = fresh;
}

int main(void) {
  set_name('a');
  set_name('b');
  set_name('c');
  return 0;
}
