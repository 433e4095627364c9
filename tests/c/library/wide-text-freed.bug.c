//@ verdict: violation
//@ native: none
// wprintf had no model: what was freed was printed, and that was `safe`.
#include <stdlib.h>
#include <wchar.h>
int main(void) {
  wchar_t *text = wcsdup(L"text");
  if (text == NULL)
    return 0;
  free(text);
  wprintf(L"%ls\n", text);  //~ use-after-free
  return 0;
}
