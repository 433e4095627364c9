//@ verdict: safe
// The magnitude is bounded, so the square is: a question about an interval.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    if (n > INT_MIN && abs(n) < 46341)
        return n * n == 49;
    return 0;
}
