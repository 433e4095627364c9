//@ verdict: safe
#include <stdint.h>

static uint32_t decode(const unsigned char *p) {
  uint32_t value = 0;
  unsigned shift = 0;
  do {
    value |= (uint32_t)(*p & 0x7f) << shift;
    shift += 7;
  } while (*p++ & 0x80 && shift < 35);
  return value;
}

int main(void) {
  const unsigned char data[] = {0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x01};
  return decode(data) == 0;
}
