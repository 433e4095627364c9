//@ verdict: violation
// A memory stream could not be rewound, and one for reading only took what was written to it.
#include <assert.h>
#include <stdio.h>

int main(void) {
  char buffer[32], text[32];
  FILE *f = fmemopen(buffer, sizeof buffer, "r");
  if (f == NULL)
    return 1;
  assert(fputs("hello", f) >= 0);  //~ assertion
  assert(ftell(f) == 5);
  rewind(f);
  assert(fgets(text, sizeof text, f) != NULL && text[4] == 'o');
  fclose(f);
  return 0;
}
