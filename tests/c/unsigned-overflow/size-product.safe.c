//@ verdict: safe
//@ checks: +unsigned-overflow
#include <stddef.h>

static unsigned total(unsigned count, unsigned size) {
  return count * size;
}

int main(void) {
  return total(65536, 65535) == 1;
}
