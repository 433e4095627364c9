//@ verdict: safe
//@ inputs: 1,2
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct session {
  int hits;
  int open;
};

int main(void) {
  struct session *s = malloc(sizeof *s);
  int open = 1;
  if (!s)
    return 0;
  s->hits = 0;
  for (int i = 0; i < 2; i++) {
    int command = __VERIFIER_nondet_int();
    if (command == 1 && open) {
      free(s);
      open = 0;
    }
    if (command == 2 && open)
      s->hits = i;
  }
  if (open)
    free(s);
  return 0;
}
