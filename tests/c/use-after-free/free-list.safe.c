//@ verdict: safe
#include <stdlib.h>

struct node {
  struct node *next;
};

static void free_all(struct node *list) {
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
}

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->next = list;
    list = n;
  }
  free_all(list);
  return 0;
}
