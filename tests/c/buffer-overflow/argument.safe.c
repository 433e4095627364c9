//@ verdict: safe
//@ args: a-rather-long-file-name.txt
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  char name[16];
  if (argc < 2)
    return 0;
  if (strlen(argv[1]) >= sizeof name)
    return 0;
  strcpy(name, argv[1]);
  printf("%s\n", name);
  return 0;
}
