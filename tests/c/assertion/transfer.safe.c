//@ verdict: safe
//@ inputs: 30
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct account {
  int balance;
};

static void transfer(struct account *from, struct account *to, int amount) {
  if (amount <= 0 || amount > from->balance)
    return;
  from->balance -= amount;
  to->balance += amount;
}

int main(void) {
  struct account a = {100}, b = {50};
  int amount = __VERIFIER_nondet_int();
  __VERIFIER_assume(-1000 < amount && amount < 1000);
  transfer(&a, &b, amount);
  assert(a.balance + b.balance == 150);
  return 0;
}
