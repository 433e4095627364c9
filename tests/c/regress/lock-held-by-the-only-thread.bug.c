//@ checks: deadlock
//@ verdict: violation
//@ native: none
// A program that starts no thread and locks a mutex twice hangs for good. It counted as one that ends there, and was `safe`.
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&one); //~ deadlock
  return 0;
}
