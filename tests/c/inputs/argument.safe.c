//@ verdict: safe
// One byte past the end of an argument.
#include <string.h>
int main(int argc, char **argv) {
  if (argc != 2)
    return 0;
  return argv[1][strlen(argv[1]) + 0] != 0;
}
