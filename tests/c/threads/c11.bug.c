//@ verdict: violation
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int count;

static int add(void *arg) {
  if (mtx_trylock(&lock) != thrd_success)
    return 1;
  count++;
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t t;
  int result, mine;
  mtx_init(&lock, mtx_plain);
  thrd_create(&t, add, 0);
  mine = add(0);
  thrd_join(t, &result);
  assert(count == 2 && mine == 0 && result == 0);  //~ assertion
  return 0;
}
