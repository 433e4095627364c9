//@ verdict: unknown
//@ native: none
// Was `safe`: what library functions access is not held against other threads, so a race with it was not seen.
#include <pthread.h>
#include <string.h>

static char text[8];

static void *write_text(void *p) {
  strcpy(text, "abc");
  return p;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, 0, write_text, 0) != 0) {
    return 0;
  }
  text[0] = 'x';
  pthread_join(t, 0);
  return 0;
}
