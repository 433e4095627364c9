//@ verdict: violation
// A copy that overruns 2,048 bytes, found without unwinding anything.
#include <string.h>

static char target[2048];

static void take(const char *name) {
  strcpy(target, name);  //~ buffer-overflow
}

int main(int argc, char **argv) {
  if (argc > 1)
    take(argv[1]);
  return target[0] == 'x';
}
