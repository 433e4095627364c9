//@ verdict: violation
// Twelve ways to go wrong, of which only one can be reached: each precondition that fixes another one is too narrow. How many are
// tried first is a matter of the solver.
#include <assert.h>

extern int nondet_int(void);

static int limit(int kind) {
  static const int limits[12] = {40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51};
  return limits[kind];
}

static void use(int kind, int amount) {
  int wrong = 0;
  switch (kind) {
  case 0: wrong = amount == 40; break;
  case 1: wrong = amount == 139; break;
  case 2: wrong = amount == 138; break;
  case 3: wrong = amount == 137; break;
  case 4: wrong = amount == 136; break;
  case 5: wrong = amount == 135; break;
  case 6: wrong = amount == 134; break;
  case 7: wrong = amount == 133; break;
  case 8: wrong = amount == 132; break;
  case 9: wrong = amount == 131; break;
  case 10: wrong = amount == 130; break;
  case 11: wrong = amount == 129; break;
  }
  assert(!wrong); //~ assertion
}

static void serve(int kind) {
  int sum = limit(kind);
  for (int i = 0; i < 3; i++)
    if (sum > 1000)
      sum -= i;
  use(kind, sum);
}

int main(void) {
  int kind = nondet_int();
  if (kind >= 0 && kind < 12)
    serve(kind);
  return 0;
}
