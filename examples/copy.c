/* Copies the first argument into a buffer of fixed size. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  char name[64];
  if (argc < 2)
    return 0;
#ifdef MENDED
  if (strlen(argv[1]) >= sizeof name)
    return 0;
#endif
  strcpy(name, argv[1]);
  puts(name);
  return 0;
}
