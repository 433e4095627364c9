//@ verdict: violation
//@ checks: +unsigned-overflow
#include <stddef.h>

static unsigned total(unsigned count, unsigned size) {
  return count * size;  //~ unsigned-overflow
}

int main(void) {
  return total(65536, 65536) == 1;
}
