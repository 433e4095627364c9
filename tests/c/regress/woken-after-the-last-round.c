//@ verdict: violation
// A wake-up without a signal was not seen to be possible behind the last round: a candidate for a deadlock that no run confirmed, and `unknown`.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *change(void *p) {
  a++;
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, change, 0);
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);  //~ deadlock
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  return 0;
}
