//@ verdict: violation
//@ inputs: 5,6
// A guess of what is read later: assuming that it was right blocks the executions that guessed wrong.
#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int guess = __VERIFIER_nondet_int();
  __VERIFIER_assume(guess < 1000000);
  int before = guess + 1;
  int later = __VERIFIER_nondet_int();
  __VERIFIER_assume(later < 1000000 && guess <= later);
  assert(before == later + 1);  //~ assertion
  return 0;
}
