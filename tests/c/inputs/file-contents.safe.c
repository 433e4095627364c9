//@ verdict: safe
// A file whose first byte says how many follow.
#include <stdio.h>
int main(void) {
  unsigned char head, body[8];
  FILE *f = fopen("data.bin", "rb");
  if (f == NULL)
    return 0;
  if (fread(&head, 1, 1, f) == 1 && head > 0 && head <= sizeof body)
    body[head - 1 + 0] = 1;
  fclose(f);
  return 0;
}
