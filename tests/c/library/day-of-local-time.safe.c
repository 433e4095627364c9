//@ verdict: safe
// Days of a month count from 1, months from 0.
#include <time.h>

int main(void) {
    int days[32] = {0};
    time_t now = time(NULL);
    struct tm *t = localtime(&now);
    if (!t)
        return 1;
    return days[t->tm_mday + 0];
}
