//@ verdict: violation
//@ checks: -leak
// One request leaves a global dangling, a later one frees it again; everything between them touches other data.
#include <stdlib.h>

extern int nondet_int(void);

static char *dir_name;
static int requests, bytes[16];

static void note(int n) {
  for (int i = 0; i < 16; i++)
    bytes[i] += n * i & 7;
  requests++;
}

static void leave(int early) {
  free(dir_name);  //~ double-free
  if (early)
    return;
  dir_name = NULL;
}

static void enter(void) {
  dir_name = malloc(8);
}

int main(void) {
  enter();
  note(1);
  leave(nondet_int());
  note(2);
  leave(0);
  note(3);
  return 0;
}
