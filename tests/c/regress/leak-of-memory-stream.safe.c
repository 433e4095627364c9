// Every stream was held by the library; one of `open_memstream` is held by the program alone, and lost with its last pointer.
//@ verdict: safe
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return 0;
  fputs("ab", f);
  fclose(f);
  free(text);
  text = NULL;
  return 0;
}
