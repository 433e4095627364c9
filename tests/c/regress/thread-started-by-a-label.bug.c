//@ verdict: violation
//@ native: none
// To CBMC such a label starts a thread. It was passed over, the statement ran in its place, and this was `safe`.
#include <assert.h>
_Atomic int shared;
static void change(int to) { shared = to; }
int main(void) {
  int value = 1;
__CPROVER_ASYNC_1:
  change(value);
  value = 2;
  int now = shared;
  assert(now == 1);  //~ assertion
  return 0;
}
