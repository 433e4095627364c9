#include <stdlib.h>
int main(int argc, char **argv) {
  int t[10];
  if (argc < 2) return 0;
  int a = atoi(argv[1]);
  if (a >= 0 && a <= 10) t[a] = 1;
  return 0;
}
