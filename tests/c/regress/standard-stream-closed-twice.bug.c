//@ verdict: violation
// Closing standard input a second time succeeded; the C library says EOF, and GNU's `comm - -` ends with an error.
#include <assert.h>
#include <stdio.h>

int main(void) {
  fclose(stdin);
  int result = fclose(stdin);
  assert(result == 0);  //~ assertion
  return 0;
}
