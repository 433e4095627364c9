//@ verdict: violation
// Was: safe. The symbolic bytes of argv were taken for words that might point anywhere, so nothing ever leaked.
#include <stdlib.h>

int main(int argc, char **argv) {
  char *p = malloc(16);  //~ memory-leak
  return argc > 5 && argv[1] && p;
}
