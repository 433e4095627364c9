//@ verdict: violation
#include <stdlib.h>
#include <string.h>

struct entry {
  char *key;
  char *label;
};

int main(void) {
  struct entry e;
  e.key = malloc(8);
  if (!e.key)
    return 0;
  strcpy(e.key, "alpha");
  e.label = e.key;
  free(e.key);
  return strlen(e.label) == 5 ? 0 : 1;  //~ use-after-free
}
