/* CRC-16 of a message of six bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
  unsigned char in[8];
  if (read(0, in, 8) != 8)
    return 0;
  uint16_t crc = 0xffff;
  for (int i = 0; i < 6; i++) {
    crc ^= (uint16_t)(in[i] << 8);
    for (int k = 0; k < 8; k++)
      crc = crc & 0x8000 ? (uint16_t)(crc << 1 ^ 0x1021) : (uint16_t)(crc << 1);
  }
  if (crc != (in[6] << 8 | in[7]))
    return 1;
  if (in[0] == 0xa5 && in[1] == in[2] && in[3] * 2 == in[4])
    abort();
  return 0;
}
