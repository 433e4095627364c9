// A buffer that grows in a loop, and one of two that a choice makes, were called leaks at an `exit` while variables of open functions still
// pointed to them: where paths met, nobody knew what the variables held.
//@ verdict: safe
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static void leave(int code) {
  if (code > 2)
    exit(code);
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 3)
    return 0;
  char *buf = NULL, *name;
  for (int i = 0; i < n; i++) {
    char *grown = realloc(buf, i + 1);
    if (!grown)
      exit(1);
    buf = grown;
    buf[i] = 'x';
  }
  if (n == 1)
    name = malloc(3);
  else
    name = malloc(5);
  leave(n);
  if (name && buf && buf[0] == 'x')
    exit(2);
  free(name);
  free(buf);
  return 0;
}
