/* A magic number of four bytes, then another of eight. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  unsigned char in[32];
  ssize_t n = read(0, in, sizeof in);
  if (n < 12)
    return 0;
  uint32_t first;
  uint64_t second;
  memcpy(&first, in, 4);
  memcpy(&second, in + 4, 8);
  if (first == 0x21504d49 && second == 0x1122334455667788ull)
    abort();
  return 0;
}
