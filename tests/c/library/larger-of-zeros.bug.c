//@ verdict: violation
// fmax gives the second of two equal numbers: the sign of zero shows it.
#include <assert.h>
#include <math.h>

int main(void) {
    double (*volatile larger)(double, double) = fmax;
    assert(signbit(larger(0.0, -0.0)) == 0); //~ assertion
    return 0;
}
