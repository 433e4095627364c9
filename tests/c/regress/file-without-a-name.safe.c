//@ verdict: safe
// A file without a name was opened: the model of open let every name be that of a file, and the kit, whose wrapper
// answers for fopen, confirmed it. The system answers ENOENT to an empty name, and ENAMETOOLONG from PATH_MAX bytes on.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3)
    return 1;
  if (access(argv[2], R_OK) == 0)
    assert(strlen(argv[2]) < 4096);
  FILE *f = fopen(argv[1], "r");
  if (!f)
    return 1;
  assert(argv[1][0] != '\0');
  fclose(f);
  return 0;
}
