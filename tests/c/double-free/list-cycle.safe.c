//@ verdict: safe
#include <stdlib.h>

struct node {
  struct node *next;
};

int main(void) {
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  if (!a || !b) {
    free(a);
    free(b);
    return 0;
  }
  a->next = b;
  b->next = NULL;
  struct node *nodes[3] = {a, b, b->next};
  for (int i = 0; i < 3; i++)
    free(nodes[i]);
  return 0;
}
