//@ verdict: safe
//@ inputs: 5
// A loop that changes nothing either ends at once or never does: no bound is needed, in any engine.
int main(void) {
  int count = __VERIFIER_nondet_int();
  do {
  } while (count < 5);
  while (count < 5)
    ;
  __VERIFIER_assert(count >= 5);
  return 0;
}
