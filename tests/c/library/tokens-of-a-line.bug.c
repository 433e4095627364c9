//@ verdict: violation
//@ run: exit
// A line with one token has no second one.
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    char *first = strtok(line, ","), *second = strtok(NULL, ",");
    return first ? second[0] : 0; //~ null-deref
}
