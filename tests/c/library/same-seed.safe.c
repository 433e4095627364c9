//@ verdict: safe
// srand(42) twice gave different numbers.
#include <assert.h>
#include <stdlib.h>
int main(void) {
  srand(42);
  int a = rand(), b = rand();
  srand(42);
  int c = rand();
  assert(c == a);
  return 0;
}
