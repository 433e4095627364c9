//@ verdict: safe
#include <stddef.h>

struct node {
  int key, value;
  struct node *next;
};

static struct node *find(struct node *list, int key) {
  while (list && list->key != key)
    list = list->next;
  return list;
}

int main(void) {
  struct node b = {2, 20, NULL}, a = {1, 10, &b};
  struct node *hit = find(&a, 2);
  return hit->value == 20 ? 0 : 1;
}
