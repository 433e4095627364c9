//@ verdict: violation
//@ inputs: 3
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cost;
  int kind = __VERIFIER_nondet_int();
  switch (kind) {
  case 1:
    cost = 10;
    break;
  case 2:
    cost = 20;
    break;
  case 4:
    cost = 30;
  }
  if (cost > 15)  //~ uninitialised
    puts("expensive");
  return 0;
}
