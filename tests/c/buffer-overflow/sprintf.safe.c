//@ verdict: safe
#include <stdio.h>

int main(void) {
  char text[11];
  int number = -123456789;
  sprintf(text, "%d", number);
  return text[0] == '-' ? 0 : 1;
}
