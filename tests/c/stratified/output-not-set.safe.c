//@ verdict: safe
// The callee sets its output on one path only.

static int find(int key, int *found) {
  if (key > 0) {
    *found = key * 2;
    return 1;
  }
  return 0;
}

int main(void) {
  int key = __VERIFIER_nondet_int(), found;
  __VERIFIER_assume(key > 0 && key < 100);
  find(key, &found);
  return found > 200;
}
