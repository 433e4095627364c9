//@ verdict: violation
//@ native: none
// The result of malloc stayed a root of the search for leaks although no variable holds it, where the program ends in a call.
//@ alloc: succeeds
#include <stdlib.h>
static int **table;

static void drop(void) {
  free(table);
  table = NULL;
}
static void drop_entry(void) {
  if (table != NULL)
    free(*table);
}

int main(void) {
  table = malloc(sizeof(int *));
  atexit(drop_entry);
  *table = malloc(sizeof(int));  //~ memory-leak
  atexit(drop);
  exit(0);
}
