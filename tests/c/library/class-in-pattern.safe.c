//@ verdict: safe
// Classes of characters were sets of letters.
#include <assert.h>
#include <fnmatch.h>
int main(void) {
  int digit = fnmatch("a[[:digit:]]", "a7", 0);
  assert(digit == 0);
  return 0;
}
