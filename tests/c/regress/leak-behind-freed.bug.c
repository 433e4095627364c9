//@ verdict: violation
//@ native: none
// A freed object whose address is left in a global counted as reaching what it held.
//@ inputs: 1
//@ alloc: succeeds
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
  struct node *next;
};
static struct node *head;

int main(void) {
  head = malloc(sizeof *head);
  head->next = malloc(sizeof *head);  //~ memory-leak
  head->next->next = NULL;
  if (__VERIFIER_nondet_int() == 1) {
    if (0)
      free(head->next);
    free(head);
  }
  exit(0);
}
