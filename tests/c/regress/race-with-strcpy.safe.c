//@ verdict: safe
//@ native: none
// No other thread knows what `strcpy` is given here.
#include <pthread.h>
#include <string.h>

static void *write_text(void *p) {
  char text[8];
  strcpy(text, "abc");
  return text[0] == 'a' ? p : 0;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, 0, write_text, 0) != 0) {
    return 0;
  }
  pthread_join(t, 0);
  return 0;
}
