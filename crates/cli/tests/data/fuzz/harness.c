/* As libFuzzer wants it: a checksum no mutation guesses, and an index past an array behind it. */
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int table[8];
  if (size != 8)
    return 0;
  uint32_t sum = 7;
  for (size_t i = 0; i < 4; i++)
    sum = sum * 31 + data[i];
  uint32_t given = data[4] | data[5] << 8 | data[6] << 16 | (uint32_t)data[7] << 24;
  if (sum == given && data[0] == 'K')
    table[data[1]]++;
  return 0;
}
