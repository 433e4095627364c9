//@ verdict: violation
// A stream that was opened again had the descriptor of the new file, and its own was closed: what reads descriptor 0 after `freopen` of
// standard input failed, and a path of GNU's uniq ended with an error that does not happen.
#include <assert.h>
#include <stdio.h>

int main(void) {
  if (freopen("/dev/null", "r", stdin) == NULL)
    return 1;
  int fd = fileno(stdin);
  assert(fd != 0);  //~ assertion
  return 0;
}
