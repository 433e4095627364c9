//@ verdict: violation
//@ run: exit
// No file has a name of more than 255 bytes: `open` could succeed.
#include <assert.h>
#include <fcntl.h>
#include <string.h>

int main(void) {
  char name[300] = "";
  memset(name, 'a', 255);
  int file = open(name, O_RDONLY);
  assert(file < 0);  //~ assertion
  return 0;
}
