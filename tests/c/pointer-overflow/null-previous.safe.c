//@ verdict: safe
//@ checks: +pointer-overflow
#include <stddef.h>

static const int *previous(const int *p) {
  return p - 1;
}

int main(void) {
  int data[2] = {1, 2};
  return previous(data + 1) == NULL;
}
