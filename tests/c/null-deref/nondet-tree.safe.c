//@ verdict: safe
//@ inputs: 10
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
  int key;
  struct tree *left, *right;
};

static int largest_below(struct tree *t, int limit) {
  while (t->right && t->right->key < limit)
    t = t->right;
  return t->key;
}

static int root_of(struct tree *t, int limit) {
  if (limit > 9)
    t = t->right->right;
  return t->key;
}

int main(void) {
  struct tree left = {1, NULL, NULL}, right = {9, NULL, NULL}, root = {4, &left, &right};
  int limit = __VERIFIER_nondet_int();
  if (limit > 9)
    limit = 9;
  return root_of(&root, limit) + largest_below(&root, 9) - 8;
}
