//@ verdict: violation
// Old C starts threads with functions that give nothing or an int: was `unknown`, the call is not of the function's type.
#include <assert.h>
#include <pthread.h>
static int x;
static void *f() {
  x = 2;
  return 0;
}
static void g(void) { x++; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  pthread_create(&u, 0, (void *(*)(void *))g, 0);
  pthread_join(u, 0);
  assert(x == 2);  //~ assertion
  return 0;
}
