//@ verdict: violation
// A variable of the environment that is too long.
#include <stdlib.h>
#include <string.h>
int main(void) {
  char home[16];
  const char *value = getenv("HOME");
  if (value == NULL || getenv("QUIET") != NULL)
    return 0;
  if (strlen(value) <= sizeof home)
    strcpy(home, value);  //~ buffer-overflow
  else
    home[0] = 0;
  return home[0];
}
