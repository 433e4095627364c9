//@ verdict: violation
//@ run: exit
// `environ` was empty: whoever walked it saw nothing, and that was `safe`.
#include <string.h>
extern char **environ;
int main(void) {
  int seen[1] = {0}, n = 0;
  for (char **p = environ; *p != 0 && n < 1; p++)
    if (strncmp(*p, "A=", 2) == 0)
      n++;
  return seen[n];  //~ array-bounds
}
