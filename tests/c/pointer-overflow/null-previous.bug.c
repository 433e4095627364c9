//@ verdict: violation
//@ checks: +pointer-overflow
#include <stddef.h>

static const int *previous(const int *p) {
  return p - 1;  //~ pointer-overflow
}

int main(void) {
  int data[2] = {1, 2};
  return previous(NULL) == NULL;
}
