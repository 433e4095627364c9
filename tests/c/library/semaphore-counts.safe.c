//@ verdict: safe
// Semaphores had no value.
#include <assert.h>
#include <semaphore.h>
int main(void) {
  sem_t sem;
  sem_init(&sem, 0, 1);
  assert(sem_trywait(&sem) == 0);
  int result = sem_trywait(&sem);
  assert(result == -1);
  return 0;
}
