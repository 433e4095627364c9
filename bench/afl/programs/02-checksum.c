/* A sum over all bytes has to be right before anything else is looked at. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  unsigned char in[24];
  ssize_t n = read(0, in, sizeof in);
  if (n != 24)
    return 0;
  uint32_t sum = 0x1234;
  for (int i = 0; i < 20; i++)
    sum = (sum << 3 ^ sum >> 5) + in[i];
  uint32_t given = in[20] | in[21] << 8 | in[22] << 16 | (uint32_t)in[23] << 24;
  if (given != sum)
    return 1;
  if (in[0] == 'O' && in[1] == 'K' && in[7] > 200 && in[8] == in[7] - 100)
    abort();
  return 0;
}
