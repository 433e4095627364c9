//@ verdict: violation
// Numbers printed to a file were counted, not written.
#include <assert.h>
#include <stdio.h>
int main(void) {
  FILE *f = tmpfile();
  if (f == NULL)
    return 0;
  fprintf(f, "%d", 7);
  rewind(f);
  int c = fgetc(f);
  fclose(f);
  assert(c == '8');  //~ assertion
  return 0;
}
