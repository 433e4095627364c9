//@ verdict: violation
//@ checks: memory
// Many writes that are in order, and one copy into a buffer whose size nobody tells it: the copy is looked at first.
#include <string.h>

static int table[64];
static char name[12];

static void fill(int first) {
  for (int i = 0; i < 16; i++) {
    table[(first + i) & 63] = i;
    table[(first * 2 + i) & 63] += i;
    table[(first * 3 + i) & 63] -= i;
  }
}

static void keep(const char *text) { strcpy(name, text); }  //~ buffer-overflow

int main(int argc, char **argv) {
  fill(argc);
  if (argc > 2)
    keep(argv[2]);
  return name[0];
}
