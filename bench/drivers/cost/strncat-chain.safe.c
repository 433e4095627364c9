#include <string.h>
int main(int argc, char **argv) {
  char path[24] = "/tmp/";
  if (argc < 3) return 0;
  strncat(path, argv[1], sizeof path - strlen(path) - 1);
  strncat(path, "/", sizeof path - strlen(path) - 1);
  strncat(path, argv[2], sizeof path - strlen(path) - 1);
  return path[0];
}
