//@ verdict: safe
// `infinit` is no number for scanf, and what it has read of it is gone: it was read as an infinity.
#include <assert.h>
#include <stdio.h>

int main(void) {
  double value = 1;
  int n = sscanf("infinit", "%lf", &value);
  assert(n == 0);
  return 0;
}
