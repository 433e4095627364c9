//@ verdict: safe
// Was `unknown`: what a library function does happens at once, which is all there is where no access of it is in a data race.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[8] = "a";

static void *write_text(void *p) {
  pthread_mutex_lock(&lock);
  strcpy(text, "abc");
  pthread_mutex_unlock(&lock);
  return p;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, write_text, 0);
  pthread_mutex_lock(&lock);
  size_t n = strlen(text);
  pthread_mutex_unlock(&lock);
  assert(n == 1 || n == 3);
  pthread_join(t, 0);
  return 0;
}
