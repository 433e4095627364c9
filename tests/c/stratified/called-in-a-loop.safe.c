//@ verdict: safe
//@ unwind: 5
// Every iteration calls.

static int total;

static void add(int n) { total += n; }

int main(void) {
  for (int i = 0; i < 4; i++)
    add(i);
  __VERIFIER_assert(total == 6);
  return 0;
}
