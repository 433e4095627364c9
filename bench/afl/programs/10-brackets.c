/* Brackets that have to match, nine deep. */
#include <stdlib.h>
#include <stdio.h>
int main(void) {
  char stack[8];
  int depth = 0, c, opened = 0;
  while ((c = getchar()) != EOF && opened < 32) {
    if (c == '(' || c == '[' || c == '{') {
      opened++;
      stack[depth++] = (char)c;
    } else if (depth > 0 && ((c == ')' && stack[depth - 1] == '(') || (c == ']' && stack[depth - 1] == '[') ||
                             (c == '}' && stack[depth - 1] == '{'))) {
      depth--;
    } else
      return 1;
  }
  return 0;
}
