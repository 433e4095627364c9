#include <string.h>
int main(int argc, char **argv) {
  char rest[16];
  if (argc < 2) return 0;
  char *at = strstr(argv[1], "://");
  if (!at || strlen(at + 3) >= sizeof rest) return 1;
  strcpy(rest, at + 3);
  return rest[0];
}
