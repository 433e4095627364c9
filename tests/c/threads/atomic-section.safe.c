//@ verdict: safe
//@ checks: assertion
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int count;

static void __VERIFIER_atomic_add(void) { count++; }

static void *add(void *arg) {
  __VERIFIER_atomic_add();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  add(0);
  pthread_join(t, 0);
  assert(count == 2);
  return 0;
}
