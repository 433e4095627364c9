//@ verdict: violation
//@ object: stack
// Strings that overlap were copied as if nothing was wrong.
#include <string.h>
int main(void) {
  char text[16] = "abc";
  strcpy(text + 1, text);  //~ buffer-overflow
  return 0;
}
