//@ verdict: violation
//@ run: exit
// getuid was always 1000, and everything after it `unknown`: who runs the program is an input.
#include <unistd.h>
int main(void) {
  int rights[2] = {0, 0};
  int place = getuid() == 12345 ? 2 : 1;
  return rights[place];  //~ array-bounds
}
