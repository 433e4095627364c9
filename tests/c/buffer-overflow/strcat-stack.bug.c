//@ verdict: violation
//@ object: stack
#include <string.h>

static unsigned long greet(const char *name) {
  char line[12] = "hello, ";
  strcat(line, name);  //~ buffer-overflow
  return strlen(line);
}

int main(void) {
  return greet("world") > 0 ? 0 : 1;
}
