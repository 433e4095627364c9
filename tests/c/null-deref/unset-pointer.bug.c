//@ verdict: violation
//@ checks: memory,-uninitialised
//@ run: exit
//@ native: none
// A pointer that was never set may point anywhere; one that was set on the path taken does not.
int main(void) {
  int *p, x = 1, choice;
  if (choice)
    p = &x;
  if (1)
    *p = 2;  //~ null-deref
  return 0;
}
