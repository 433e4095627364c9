//@ verdict: violation
//@ checks: assertion
// Two functions that hand out memory call each other: the analysis gave each call an instance of its own, without end.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text);

static char *allocate(size_t n) {
  char *p = malloc(n);
  if (p == NULL)
    free(copy("none"));
  return p;
}

static char *copy(const char *text) {
  char *p = allocate(strlen(text) + 1);
  if (p != NULL)
    strcpy(p, text);
  return p;
}

int main(int argc, char **argv) {
  char *name = copy(argc > 1 ? argv[1] : "?");
  assert(name == NULL || name[0] != 'Q'); //~ assertion
  return 0;
}
