//@ verdict: safe
// swprintf had no model: what it wrote was anything, and nothing it was given was looked at.
#include <wchar.h>
int main(void) {
  wchar_t line[8];
  int counts[7] = {0};
  int n = swprintf(line, 8, L"%d-%ls", 123, L"xy");
  return n < 0 ? 0 : counts[n];
}
