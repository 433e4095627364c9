//@ verdict: bounded
//@ run: exit
//@ native: none
//@ unwind: 5
#include <stddef.h>

struct node {
  struct node *next;
};

int main(void) {
  struct node n[7];
  n[6].next = NULL;
  n[5].next = &n[6];
  n[4].next = &n[5];
  n[3].next = &n[4];
  n[2].next = &n[3];
  n[1].next = &n[2];
  n[0].next = &n[1];
  int length = 0;
  for (struct node *p = &n[1]; p; p = p->next)  //~ unwinding
    length++;
  return length > 100;
}
