//@ verdict: safe
// getopt finds options behind other arguments, and puts these last.
#include <unistd.h>

int main(int argc, char **argv) {
    int t[2] = {0}, seen = 0, c;
    int first = argc > 1 && argv[1][0] != '-';
    while ((c = getopt(argc, argv, "v")) != -1)
        seen |= c == 'v';
    return t[first + seen - 1 < 0 ? 0 : first + seen - 1];
}
