//@ verdict: safe
#include <stdlib.h>
#include <string.h>

int main(void) {
  const char *home = getenv("NO_SUCH_VARIABLE_HERE");
  if (home != NULL)
    return strlen(home) == 0;
  return 0;
}
