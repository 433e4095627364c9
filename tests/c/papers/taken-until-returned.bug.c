//@ verdict: violation
//@ inputs: 1
// A stub by its specification: given or not, as the environment likes, but taken until it is returned.
#include <assert.h>
int __VERIFIER_nondet_int(void);

static int taken;

static int grab(void) {
  if (!taken)
    taken = __VERIFIER_nondet_int();
  return taken;
}

static void give_back(void) { taken = 0; }

int main(void) {
  if (!grab())
    return 0;
  give_back();
  assert(taken);  //~ assertion
  give_back();
  return 0;
}
