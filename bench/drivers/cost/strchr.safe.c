#include <string.h>
int main(int argc, char **argv) {
  char key[16];
  if (argc < 2) return 0;
  char *eq = strchr(argv[1], '=');
  if (!eq || (size_t)(eq - argv[1]) >= sizeof key) return 1;
  memcpy(key, argv[1], (size_t)(eq - argv[1]));
  key[eq - argv[1]] = 0;
  return strcmp(key, "mode") == 0;
}
