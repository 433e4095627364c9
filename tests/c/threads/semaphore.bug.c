//@ verdict: violation
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

/* A semaphore that two may pass protects nothing. */
static sem_t sem;
static int count;

static void *add(void *arg) {
  sem_wait(&sem);
  count++;  //~ data-race
  sem_post(&sem);
  return 0;
}

int main(void) {
  pthread_t t;
  sem_init(&sem, 0, 2);
  pthread_create(&t, 0, add, 0);
  add(0);
  pthread_join(t, 0);
  assert(count == 2);  //~ assertion
  return 0;
}
