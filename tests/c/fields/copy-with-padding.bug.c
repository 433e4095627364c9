//@ verdict: violation
//@ inputs: 3 4
// A struct with a hole is copied within an array of them.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct item {
  char tag;
  int value;
};
static struct item items[90];

int main(void) {
  int i = below(90), j = below(90);
  items[i].tag = 'x';
  items[i].value = 1234;
  __builtin_memcpy(&items[j], &items[i], sizeof items[i]);
  assert(items[j].value == 1233);  //~ assertion
  return 0;
}
