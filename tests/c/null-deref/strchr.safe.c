//@ verdict: safe
#include <string.h>

static int value_of(const char *assignment) {
  const char *eq = strchr(assignment, '=');
  return eq[1] - '0';
}

int main(void) {
  return value_of("x=7") == 7 ? 0 : 1;
}
