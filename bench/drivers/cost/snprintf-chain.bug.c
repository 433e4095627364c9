#include <stdio.h>
int main(int argc, char **argv) {
  char b[32];
  int used = snprintf(b, sizeof b, "%s:%d", argc > 1 ? argv[1] : "none", argc);
  if (used > (int)sizeof b) return 1;
  b[used] = ';';
  snprintf(b, sizeof b, "%d.%d", argc, used);
  return b[0];
}
