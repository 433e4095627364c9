//@ verdict: safe
// A list whose nodes are elements of an array.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int below(int n) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= i && i < n);
  return i;
}

struct node {
  int value;
  struct node *next;
};
static struct {
  int count;
  struct node nodes[20], *head;
  int guard;
} s;

static void push(int at, int value) {
  s.nodes[at].value = value;
  s.nodes[at].next = s.head;
  s.head = &s.nodes[at];
}

int main(void) {
  int i = below(20), j = below(20);
  __VERIFIER_assume(i != j);
  push(i, 1);
  push(j, 2);
  s.head->next->value += 10;
  assert(s.guard == 0 && s.nodes[j].value == 2);
  assert(s.nodes[i].value == 11);
  return 0;
}
