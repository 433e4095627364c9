#include <stdlib.h>
#include <errno.h>
int main(int argc, char **argv) {
  int t[10]; char *end;
  if (argc < 2) return 0;
  errno = 0;
  long a = strtol(argv[1], &end, 10);
  if (errno == 0 && *end == 0 && a >= 0 && a < 10) t[a] = 1;
  return 0;
}
