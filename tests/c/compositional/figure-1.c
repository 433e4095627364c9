//@ verdict: violation
// Figure 1 of the BLITZ paper: baz and qux are never looked into.
#include <assert.h>

extern unsigned char nondet_uchar(void);

static char foo(unsigned char a) { return a + 1; }

static char baz(char b) {
  int s = 0;
  for (int i = 0; i < b; i++)
    s ^= i * b;
  return (char)s;
}

static char qux(char d, char e) {
  int s = 0;
  for (int i = 0; i < d; i++)
    s ^= i * e;
  return (char)s;
}

static void bar(unsigned char b, unsigned char c) {
  char d = b + 2;
  char e = c * 2;
  char f = qux(d, e);
  if (e == 1)
    d = c;
  (void)f;
  assert(d >= 'd');  //~ assertion
}

int main(void) {
  unsigned char a = nondet_uchar();
  char b = foo(a);
  char c = baz(b);
  bar(b, c);
  return 0;
}
