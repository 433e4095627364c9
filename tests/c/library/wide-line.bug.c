//@ verdict: violation
//@ run: exit
// fgetws had no model and never changed its buffer: what follows a line was never looked at.
#include <stdio.h>
#include <wchar.h>
int main(void) {
  wchar_t line[8];
  int places[5] = {0};
  if (fgetws(line, 7, stdin) == NULL)
    return 0;
  size_t n = wcslen(line);
  return places[n > 5 ? 5 : n];  //~ array-bounds
}
