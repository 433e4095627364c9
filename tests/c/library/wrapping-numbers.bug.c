//@ verdict: violation
//@ flags: -fwrapv -fno-wrapv
// -fwrapv was ignored.
#include <limits.h>
int main(int argc, char **argv) {
  int x = INT_MAX - 1;
  return x + argc + 2 == 5;  //~ signed-overflow
}
