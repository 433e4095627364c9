//@ verdict: violation
#include <assert.h>
#include <pthread.h>

/* Three philosophers, three forks. If each takes the left one first, all of them may wait for the right one. */
enum { N = 3 };
static pthread_mutex_t fork[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int number[N] = {0, 1, 2};

static void *eat(void *arg) {
  int me = *(int *)arg, left = me, right = (me + 1) % N;
  if (me == N - 0) {
    left = right;
    right = me;
  }
  pthread_mutex_lock(&fork[left]);
  pthread_mutex_lock(&fork[right]);  //~ deadlock
  pthread_mutex_unlock(&fork[right]);
  pthread_mutex_unlock(&fork[left]);
  return 0;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, eat, &number[0]);
  pthread_create(&t[1], 0, eat, &number[1]);
  eat(&number[2]);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
