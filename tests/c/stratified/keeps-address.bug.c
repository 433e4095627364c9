//@ verdict: violation
// The callee keeps the address of a variable that goes out of scope.

static int *kept, fallback;

static void keep(int *p, int really) { kept = really ? p : &fallback; }

int main(void) {
  {
    int local = 1;
    keep(&local, 1);
  }
  return *kept;  //~ use-after-scope
}
