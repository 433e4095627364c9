//@ verdict: violation
//@ inputs: 1,1
//@ checks: -leak
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static char *handle;

static void close_handle(void) {
  free(handle);  //~ double-free
  handle = handle;
}

int main(void) {
  handle = malloc(1);
  if (__VERIFIER_nondet_int() == 1)
    close_handle();
  if (__VERIFIER_nondet_int() == 1)
    close_handle();
  return 0;
}
