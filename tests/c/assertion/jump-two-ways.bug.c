//@ verdict: violation
//@ unwind: 4
//@ inputs: 0,1,2
// Two buffers: one jump ends in the caller, the other in the function before it.
#include <setjmp.h>
static jmp_buf outer, inner;
static int state;
static void act(int x) {
  if (x == 1)
    longjmp(inner, 1);
  if (x == 2)
    longjmp(outer, 5);
}
static void serve(void) {
  for (int i = 0; i < 3; i++) {
    int x = __VERIFIER_nondet_int();
    if (setjmp(inner)) {
      state |= 1;
      return;
    }
    act(x);
  }
}
int main(void) {
  int r = setjmp(outer);
  if (r == 0) {
    serve();
    serve();
  } else {
    __VERIFIER_assert(r == 5 && state != 1);  //~ assertion
  }
  return 0;
}
