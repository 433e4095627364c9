//@ verdict: safe
//@ checks: +pointer-overflow
#include <stddef.h>
#include <stdint.h>

static int fits(const char *p, size_t length, const char *end) {
  return p + length <= end;
}

int main(void) {
  char data[16] = {0};
  return fits(data, sizeof data, data + 16) > 1;
}
