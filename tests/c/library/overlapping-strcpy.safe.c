//@ verdict: safe
// Strings that overlap were copied as if nothing was wrong.
#include <string.h>
int main(void) {
  char text[16] = "abc";
  strcpy(text + 4, text);
  return 0;
}
