//@ verdict: safe
// What stat says of a file.
#include <sys/stat.h>
int main(void) {
  struct stat facts;
  int table[4] = {0};
  if (stat("data", &facts) != 0 || !S_ISREG(facts.st_mode))
    return 0;
  return facts.st_size < 4 ? table[facts.st_size] : 0;
}
