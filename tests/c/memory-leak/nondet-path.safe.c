//@ verdict: safe
//@ inputs: 7
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void handle(int code) {
  char *reply = malloc(32);
  if (!reply)
    return;
  reply[0] = (char)(code & 1);
  if (code != 99)
    free(reply);
}

int main(void) {
  int code = __VERIFIER_nondet_int();
  if (code > 50)
    code = 50;
  handle(code);
  handle(1);
  return 0;
}
