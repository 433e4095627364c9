#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], key[16];
  int value = 0;
  if (!fgets(line, sizeof line, stdin)) return 0;
  if (sscanf(line, "%16s %d", key, &value) < 2) return 1;
  return strcmp(key, "size") == 0 && value > 0;
}
