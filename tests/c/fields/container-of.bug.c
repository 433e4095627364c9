//@ verdict: violation
//@ inputs: 3
// From a member back to the struct around it.
#include <assert.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct link {
  struct link *next;
};
struct node {
  int key, weight;
  struct link link;
};
static struct {
  int count;
  struct node nodes[70];
} s;

int main(void) {
  int i = below(70);
  struct link *l = &s.nodes[i].link;
  struct node *n = (struct node *)((char *)l - offsetof(struct node, link));
  n->weight = 5;
  assert(s.nodes[i].weight == 0);  //~ assertion
  return 0;
}
