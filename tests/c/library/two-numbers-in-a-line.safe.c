//@ verdict: safe
// The first number of a line is an index.
#include <stdio.h>

int main(void) {
    char line[32];
    int t[4] = {0}, i = 0, v = 0;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (sscanf(line, "%d,%d", &i, &v) == 2 && i >= 0 && i < 4)
        t[i] = v;
    return t[0];
}
