#include <stdio.h>
int main(int argc, char **argv) {
  char b[32];
  int n = argc > 1 ? argv[1][0] : 0;
  int used = sprintf(b, "%d:%s:%05x", n, n > 5 ? "a" : "bc", n);
  printf("%s %d %u\n", b, n, n);
  return b[used];
}
