#include <string.h>
int main(int argc, char **argv) {
  char base[32];
  if (argc < 2) return 0;
  char *slash = strrchr(argv[1], '/');
  const char *name = slash ? slash + 1 : argv[1];
  if (strlen(name) >= sizeof base) return 1;
  strcpy(base, name);
  return base[0];
}
