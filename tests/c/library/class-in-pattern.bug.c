//@ verdict: violation
// Classes of characters were sets of letters.
#include <assert.h>
#include <fnmatch.h>
int main(void) {
  int digit = fnmatch("a[[:digit:]]", "ax", 0);
  assert(digit == 0);  //~ assertion
  return 0;
}
