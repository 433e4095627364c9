//@ verdict: safe
//@ checks: assertion
//@ inputs: 77
// What is wrong hangs on an input of 32 bits: running every schedule with one value of it shows nothing.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static int chosen;

static void *look(void *arg) {
  assert(chosen != 177); 
  return arg;
}

int main(void) {
  chosen = __VERIFIER_nondet_int();
  if (chosen < 0 || chosen > 99) return 0;
  pthread_t t;
  if (pthread_create(&t, 0, look, 0)) return 1;
  pthread_join(t, 0);
  return 0;
}
