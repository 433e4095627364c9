//@ verdict: safe
//@ checks: +pointer-overflow
#include <stddef.h>
#include <stdint.h>

static const long *at(const long *base, size_t index) {
  return base + index;
}

int main(void) {
  long data[4] = {1, 2, 3, 4};
  return at(data, 3) == NULL;
}
