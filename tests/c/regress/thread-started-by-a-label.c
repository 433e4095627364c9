//@ verdict: unknown
// To CBMC such a label starts a thread. It was passed over, the statement ran in its place, and this was `safe`.
#include <assert.h>
int shared;
static void change(void) { shared = 1; }
int main(void) {
__CPROVER_ASYNC_1:
  change();
  assert(shared == 1);
  return 0;
}
