//@ verdict: violation
//@ unwind: 9
// The callee copies a pointer byte by byte and writes through the copy.

static void sneak(const unsigned char *from, int n) {
  int *p;
  for (unsigned i = 0; i < sizeof p; i++)
    ((unsigned char *)&p)[i] = from[i];
  *p = n;
}

int main(void) {
  int watched = 1;
  int *p = &watched;
  sneak((const unsigned char *)&p, 2);
  __VERIFIER_assert(watched == 1);  //~ assertion
  return 0;
}
