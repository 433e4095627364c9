//@ verdict: safe
// A struct of 8 bytes that came from a function pointer was "another type".
#include <assert.h>
struct pair {
  int a, b;
};
static struct pair make(int x) { return (struct pair){x, x + 1}; }
static struct pair swap(int x) { return (struct pair){x + 1, x}; }
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct pair (*f)(int) = __VERIFIER_nondet_int() ? make : swap;
  struct pair p = f(3);
  assert(p.a + p.b == 7 && p.a <= 4);
  return 0;
}
