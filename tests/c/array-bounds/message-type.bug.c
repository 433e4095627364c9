//@ verdict: violation
//@ inputs: 3
#include <stdio.h>

extern unsigned __VERIFIER_nondet_uint(void);

static const char *const names[3] = {"get", "put", "del"};

int main(void) {
  unsigned type = __VERIFIER_nondet_uint();
  if (type > 3)
    return 0;
  puts(names[type]);  //~ array-bounds
  return 0;
}
