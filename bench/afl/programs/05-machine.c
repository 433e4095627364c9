/* A state machine: eight right commands in a row, each a character. */
#include <stdlib.h>
#include <stdio.h>
int main(void) {
  static const char path[] = "upupdown";
  int state = 0, c, wrong = 0;
  while ((c = getchar()) != EOF && wrong < 4) {
    switch (state) {
    case 0: state = c == 'q' ? 1 : 0; break;
    case 1: state = c == '7' ? 2 : 0; break;
    case 2: state = c == '#' ? 3 : c == 'q' ? 1 : 0; break;
    case 3: state = c == 'k' ? 4 : 0; break;
    case 4: state = c == path[1] ? 5 : 0; break;
    case 5: state = c == path[4] ? 6 : 0; break;
    case 6: state = c == '\n' ? 7 : 0; break;
    case 7: if (c == 'Z') abort(); state = 0; break;
    }
    wrong += state == 0;
  }
  return 0;
}
