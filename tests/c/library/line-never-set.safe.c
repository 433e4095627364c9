//@ verdict: safe
// sscanf looks for the end of the text before it takes anything from it.
#include <stdio.h>

int main(void) {
    char line[3], word[4] = "";
    line[0] = '7';
    line[1] = 0;
    return sscanf(line, "%1s", word) == 1 ? word[0] : 0;
}
