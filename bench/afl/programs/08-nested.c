/* A header with a version, a size of the whole and an offset that is relative to another. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct header {
  char magic[4];
  uint16_t version, size;
  uint32_t offset, count;
};
int main(void) {
  unsigned char in[256];
  ssize_t n = read(0, in, sizeof in);
  struct header h;
  if (n < (ssize_t)sizeof h)
    return 0;
  memcpy(&h, in, sizeof h);
  if (memcmp(h.magic, "\x7f" "BLZ", 4) != 0 || h.version != 0x0203 || h.size != n)
    return 1;
  if (h.offset < sizeof h || h.offset >= h.size)
    return 2;
  if (h.count * 4 > h.size - h.offset)
    return 3;
  unsigned char *copy = malloc(h.size - h.offset);
  for (uint32_t i = 0; i < h.count; i++)
    copy[i * 4] = in[h.offset + i * 4];
  if (h.count == 0x40000001)
    abort();
  free(copy);
  return 0;
}
