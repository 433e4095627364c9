/* Nothing that mutation could not do: a long line. */
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[256], copy[100];
  if (!fgets(line, sizeof line, stdin))
    return 0;
  if (line[0] == '#')
    return 0;
  strcpy(copy, line);
  return (unsigned char)copy[0] == 0xff;
}
