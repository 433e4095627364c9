//@ verdict: violation
//@ checks: assertion,deadlock
#include <assert.h>
#include <pthread.h>

/* A barrier of two, used twice. Who counts only arrivals may wait for the first round's end when the second has begun. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived, round;

static void barrier(void) {
  pthread_mutex_lock(&lock);
  int mine = round;
  if (++arrived == 2) {
    arrived = 0;
    round++;
    pthread_cond_broadcast(&all_here);
  }
  while (arrived != 0)
    pthread_cond_wait(&all_here, &lock);  //~ deadlock
  pthread_mutex_unlock(&lock);
}

static void *twice(void *arg) {
  barrier();
  barrier();
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, twice, 0);
  twice(0);
  pthread_join(t, 0);
  return 0;
}
