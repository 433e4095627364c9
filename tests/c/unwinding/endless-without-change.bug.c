//@ verdict: bounded
//@ run: exit
//@ inputs: 9
//@ native: none
//@ unwind: 2
// A loop that comes back to where it was adds nothing new: it needs no bound.
int __VERIFIER_nondet_int(void);

int main(void) {
  unsigned seen = 0;
  for (;;) {  //~ unwinding
    int request = __VERIFIER_nondet_int();
    if (request == 7)
      seen += 1;
    if (request == 9)
      return 100 / (request - 8) == (int)seen;
  }
}
