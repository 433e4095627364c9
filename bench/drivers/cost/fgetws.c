#include <stdio.h>
#include <wchar.h>
int main(void) {
  wchar_t line[16];
  if (!fgetws(line, 16, stdin)) return 0;
  line[wcslen(line) - 1] = 0;
  return line[0];
}
