//@ verdict: safe
// `%ms` that matches nothing leaves a null pointer; the model left an allocated buffer, whose contents were never set. What it does allocate has
// room for what was read and no more.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *none = NULL, *word = NULL;
  if (sscanf("", "%ms", &none) != -1 || none != NULL)
    abort();
  if (sscanf("ab", "%ms", &word) == 1) {
    word[2] = 'x';
    free(word);
  }
  return 0;
}
