#include <stdlib.h>
#include <string.h>
int main(void) {
  char b[32]; const char *home = getenv("HOME");
  if (!home || strlen(home) >= sizeof b) return 0;
  strcpy(b, home);
  return b[0];
}
