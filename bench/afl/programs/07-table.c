/* An index that is computed from two bytes goes past a table for a few pairs. */
#include <stdlib.h>
#include <unistd.h>
static int table[977];
int main(void) {
  unsigned char in[4];
  if (read(0, in, 4) != 4)
    return 0;
  unsigned hash = (in[0] * 31u + in[1]) * 31u + in[2];
  if (hash % 1009 > 1000 && in[3] == (in[0] ^ in[1]))
    table[hash % 1009] = 1;
  return 0;
}
