//@ verdict: violation
//@ object: global
#include <string.h>

static unsigned char packet[16] = {9, 1, 2, 3};
static unsigned char out[8];

int main(void) {
  unsigned len = packet[0];
  if (len > sizeof packet)
    len = sizeof out;
  memcpy(out, packet + 1, len);  //~ buffer-overflow
  return out[0] - 1;
}
