// What was written to a stream of `open_memstream` was seen through the pointer at once, which is set only when the stream is flushed.
//@ verdict: safe
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int flush = 1;
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return 0;
  fputs("ab", f);
  if (flush)
    fflush(f);
  int first = text[0];
  fclose(f);
  free(text);
  return first == 'a' ? 0 : 1;
}
