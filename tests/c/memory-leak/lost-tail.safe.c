//@ verdict: safe
//@ slow: heap objects under a loop make many array lemmas
#include <stdlib.h>

struct node {
  struct node *next;
};

static struct node *head;

static void push(void) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    return;
  n->next = head;
  head = n;
}

static void pop_all(void) {
  while (head) {
    struct node *n = head;
    head = n->next;
    free(n);
  }
}

int main(void) {
  push();
  push();
  push();
  pop_all();
  return 0;
}
