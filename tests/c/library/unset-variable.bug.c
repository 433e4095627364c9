//@ verdict: violation
// setenv and unsetenv looked like a leak.
#include <assert.h>
#include <stdlib.h>
int main(void) {
  setenv("NAME", "value", 1);
  unsetenv("NAME");
  char *value = getenv("NAME");
  assert(value != 0);  //~ assertion
  return 0;
}
