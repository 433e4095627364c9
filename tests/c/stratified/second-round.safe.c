//@ verdict: safe
//@ unwind: 5
// What the first callee returns hangs on what a second one left behind.

static int level;

static void raise_level(int by) {
  for (int i = 0; i < by; i++)
    level++;
}

static int over(int limit) { return level > limit; }

int main(void) {
  int by = __VERIFIER_nondet_int();
  __VERIFIER_assume(by >= 0 && by < 4);
  raise_level(by);
  __VERIFIER_assert(!over(3));
  return 0;
}
