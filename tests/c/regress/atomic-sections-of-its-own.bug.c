//@ verdict: violation
// The program says itself what begins an atomic section: that function was not taken as atomic, two threads tested its lock before either set it, and the safe twin
// was a violation.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
static int lock, x;
void __VERIFIER_atomic_begin(void) {
  __VERIFIER_assume(lock == 0);
  lock = 1;
}
void __VERIFIER_atomic_end(void) {
  __VERIFIER_assume(lock == 1);
  lock = 0;
}
static void *add(void *p) {
  __VERIFIER_atomic_begin();
  int k = x;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  x = k + 1;
  __VERIFIER_atomic_end();
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  add(0);
  pthread_join(t, 0);
  assert(x == 2);  //~ assertion
  return 0;
}
