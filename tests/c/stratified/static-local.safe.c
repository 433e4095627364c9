//@ verdict: safe
// The callee remembers how often it was called.

static int next(void) {
  static _Thread_local int count;
  return ++count;
}

int main(void) {
  next();
  next();
  int n = next();
  __VERIFIER_assert(n != 4);
  return 0;
}
