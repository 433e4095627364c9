// A file that a program opens by the name of the null device could hold anything.
//@ verdict: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
  FILE *f = fopen("/dev/null", "r");
  if (!f)
    return 0;
  int c = fgetc(f);
  fclose(f);
  assert(c == EOF);
  return 0;
}
