/* Commands by name, with an argument; one pair of them in order frees twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[48];
  char *kept = NULL;
  int opened = 0;
  for (int i = 0; i < 8 && fgets(line, sizeof line, stdin); i++) {
    if (strncmp(line, "open ", 5) == 0) {
      free(kept);
      kept = strdup(line + 5);
      opened = 1;
    } else if (strcmp(line, "close\n") == 0 && opened) {
      free(kept);
      opened = 0;
    } else if (strcmp(line, "reset\n") == 0 && !opened) {
      free(kept);
      kept = NULL;
    }
  }
  return 0;
}
