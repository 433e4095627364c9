//@ verdict: safe
//@ unwind: 4
// Names of open length are compared with members at an open place.
#include <assert.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct symbol {
  int len;
  char name[8];
  int value;
};
static struct {
  int used;
  struct symbol all[4];
  int spare[9];
} t;
int main(void) {
  const char *names[4] = {"if", "while", "do", "end"};
  char text[] = "bend";
  int i = __VERIFIER_nondet_int(), from = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(), found = 0;
  if (i < 0 || i >= 4 || n < 2 || n > 4 || from < 0 || from > 4 - n)
    return 0;
  for (int k = 0; k < 4; k++) {
    t.all[k].len = (int)strlen(names[k]);
    memcpy(t.all[k].name, names[k], (size_t)t.all[k].len + 1);
  }
  if (t.all[i].len == n && memcmp(t.all[i].name, text + from, (size_t)n) == 0)
    found = i;
  assert(found == 0 || found == 3);
  return 0;
}
