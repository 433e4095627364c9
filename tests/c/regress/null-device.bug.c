// A file that a program opens by the name of the null device could hold anything.
//@ verdict: violation
#include <assert.h>
#include <stdio.h>

int main(void) {
  FILE *f = fopen("/dev/zero", "r");
  if (!f)
    return 0;
  int c = fgetc(f);
  fclose(f);
  assert(c == EOF);  //~ assertion
  return 0;
}
