//@ verdict: violation
//@ checks: memory,-uninitialised
//@ run: exit
//@ native: none
// Calling what is no function: unset, or an object's address.
static int one(void) { return 1; }

int main(void) {
  int (*f)(void), choice, x;
  if (choice)
    f = &one;
  else if (x)
    f = (int (*)(void))&x;
  return 1 ? f() : 0;  //~ null-deref
}
