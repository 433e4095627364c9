//@ verdict: violation
//@ inputs: 3
// Numbers printed to a memory stream of the modelled environment were counted but not written: the text held other bytes,
// and a bug was reported that no run of the program has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f == NULL)
    return 0;
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9)
    x = 5;
  fprintf(f, "%3d;", x);
  fclose(f);
  int good = size == 3 && text[0] == ' ' && text[2] == '0' + x && strlen(text) == 4;
  free(text);
  return 100 / good;  //~ div-by-zero
}
