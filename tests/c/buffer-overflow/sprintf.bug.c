//@ verdict: violation
//@ object: stack
#include <stdio.h>

int main(void) {
  char text[10];
  int number = -123456789;
  sprintf(text, "%d", number);  //~ buffer-overflow
  return text[0] == '-' ? 0 : 1;
}
