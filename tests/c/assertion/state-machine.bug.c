//@ verdict: violation
//@ inputs: 0,1,2
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum state { CLOSED, OPENING, OPEN };

static enum state step(enum state s, int event) {
  switch (s) {
  case CLOSED:
    return event == 0 ? OPEN : CLOSED;
  case OPENING:
    return event == 1 ? OPEN : CLOSED;
  case OPEN:
    return event == 2 ? CLOSED : OPEN;
  }
  return CLOSED;
}

int main(void) {
  enum state s = CLOSED, before;
  for (int i = 0; i < 3; i++) {
    before = s;
    s = step(s, __VERIFIER_nondet_int());
    assert(!(before == CLOSED && s == OPEN));  //~ assertion
  }
  return 0;
}
