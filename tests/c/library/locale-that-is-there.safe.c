//@ verdict: safe
// setlocale ended in `unknown`: whether a locale is there is an input, and with UTF-8 a character may take several bytes.
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
int main(void) {
  char text[3] = "\xc3\xa4";
  wchar_t one[2];
  if (setlocale(LC_ALL, "C.UTF-8") == NULL)
    return 0;
  int n = mbtowc(&one[0], text, 2);
  int seen[3] = {0, 0};
  return n < 0 ? 0 : seen[n];
}
