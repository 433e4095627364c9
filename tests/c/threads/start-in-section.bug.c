//@ verdict: violation
//@ checks: assertion
// A thread that is started inside an atomic section begins outside of it: its steps are interleaved as any other's.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x;

static void *add(void *arg) {
  int seen = x;
  x = seen + 1;
  return 0;
}

int main(void) {
  pthread_t t;
  __VERIFIER_atomic_begin();
  pthread_create(&t, 0, add, 0);
  __VERIFIER_atomic_end();
  add(0);
  pthread_join(t, 0);
  assert(x == 2);  //~ assertion
  return 0;
}
