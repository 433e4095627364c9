//@ verdict: violation
//@ run: exit
// The magnitude is bounded, but not enough for the square: a question about an interval.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    if (n > INT_MIN && abs(n) < 46342)
        return n * n == 49; //~ signed-overflow
    return 0;
}
