//@ verdict: violation
//@ checks: +unsigned-overflow
#include <stdint.h>

static uint32_t payload(uint32_t packet_length) {
  const uint32_t header = 20;
  return packet_length - header;  //~ unsigned-overflow
}

int main(void) {
  return payload(19) > 1000;
}
