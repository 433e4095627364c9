//@ checks: data-race
//@ verdict: violation
// An atomic section is ordered with other sections only. The search for races looked at the first instruction of a section and no further, and this was `safe`.
#include <pthread.h>
static int shared, other;
static void __VERIFIER_atomic_publish(void) {
  shared = 1; //~ data-race
}
static void *run(void *arg) {
  __VERIFIER_atomic_publish();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  int seen = shared; //~ data-race
  return 0;
}
