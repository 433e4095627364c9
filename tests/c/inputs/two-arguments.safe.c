//@ verdict: safe
// Both arguments matter, and their bytes.
#include <string.h>
int main(int argc, char **argv) {
  char small[4];
  if (argc < 3 || argv[1][0] != '-' || argv[1][1] != 'o' || argv[1][2] != 0)
    return 0;
  if (strlen(argv[2]) >= sizeof small)
    return 0;
  strcpy(small, argv[2]);
  return small[0];
}
