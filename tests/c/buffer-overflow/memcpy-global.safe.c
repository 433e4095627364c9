//@ verdict: safe
#include <string.h>

static unsigned char packet[16] = {9, 1, 2, 3};
static unsigned char out[8];

int main(void) {
  unsigned len = packet[0];
  if (len > sizeof out)
    len = sizeof out;
  memcpy(out, packet + 1, len);
  return out[0] - 1;
}
