#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(void) { int n = 0, t[3] = {0}; for (char **p = environ; *p; p++) if (strncmp(*p, "A=", 2) == 0 && n < 2) n++; return t[n]; }
