//@ verdict: violation
//@ args: 10
// atoi and strtol gave up after two blanks: every program that read a number was unknown.
#include <stdlib.h>
int main(int argc, char **argv) {
  int table[10] = {0};
  if (argc < 2)
    return 0;
  int x = atoi(argv[1]);
  if (x < 0 || x > 10)
    return 0;
  return table[x];  //~ array-bounds
}
