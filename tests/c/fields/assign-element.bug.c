//@ verdict: violation
//@ inputs: 3 3
// One element of an array of structs is assigned to another.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct rec {
  int key;
  char name[5];
  short rank;
};
static struct rec recs[70];

int main(void) {
  int i = below(70), j = below(70);
  recs[i].rank = 7;
  recs[j].key = 5;
  recs[j] = recs[i];
  assert(recs[j].rank == 7);
  assert(recs[j].key == 0 || i != j);  //~ assertion
  return 0;
}
