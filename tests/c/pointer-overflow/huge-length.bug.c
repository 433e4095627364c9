//@ verdict: violation
//@ checks: +pointer-overflow
#include <stddef.h>
#include <stdint.h>

static int fits(const char *p, size_t length, const char *end) {
  return p + length <= end;  //~ pointer-overflow
}

int main(void) {
  char data[16] = {0};
  return fits(data, SIZE_MAX, data + 16) > 1;
}
