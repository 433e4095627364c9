#include <stdlib.h>
#include <stdio.h>
int main(int argc, char **argv) {
  static int table[100];
  if (argc != 3) { fprintf(stderr, "usage: %s INDEX VALUE\n", argv[0]); return 2; }
  int i = atoi(argv[1]), v = atoi(argv[2]);
  if (i < 0 || i >= 100) return 1;
  table[i] = v;
  printf("%d\n", table[i]);
  return 0;
}
