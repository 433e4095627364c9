/* Conditions over sums and products of bytes: no byte is compared with anything by itself. */
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  unsigned char in[8];
  if (read(0, in, 8) != 8)
    return 0;
  unsigned a = in[0] * 256u + in[1], b = in[2] * 256u + in[3], c = in[4] * 256u + in[5];
  if (a + b == 40000 && a * 3 + c == 61234 && (b ^ c) == 0x1dc2)
    abort();
  return 0;
}
