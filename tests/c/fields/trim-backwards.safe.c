//@ verdict: safe
//@ unwind: 14
// A pointer goes backwards through a text that is a member; nothing but the text changes.
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct line {
  int number;
  char text[12];
  int flags;
};

static void trim(struct line *l) {
  char *end = l->text + strlen(l->text);
  while (end > l->text && end[-1] == ' ')
    *--end = 0;
  l->flags = 1;
}

int main(void) {
  static struct line l = {7, "ab", 0};
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n <= 3);
  for (int i = 0; i < n; i++)
    l.text[2 + i] = ' ';
  trim(&l);
  assert(l.number == 7 && l.flags == 1);
  assert(strlen(l.text) == 2);
  return 0;
}
