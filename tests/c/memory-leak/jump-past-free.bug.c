//@ verdict: violation
//@ unwind: 5
//@ inputs: 1,120
// What a jump leaves behind has to be freed where it comes back.
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf env;
static void parse(const char *p, int n) {
  for (int i = 0; i < n; i++)
    if (p[i] == 'x')
      longjmp(env, 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 4)
    return 0;
  char *volatile p = malloc(n);  //~ memory-leak
  if (!p)
    return 0;
  for (int i = 0; i < n; i++)
    p[i] = __VERIFIER_nondet_char();
  int failed = setjmp(env);
  if (failed == 0)
    parse(p, n);
  if (failed != 1)
    free(p);
  return 0;
}
