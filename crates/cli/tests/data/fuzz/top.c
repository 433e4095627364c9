/* The symbolic execution lecture's `top`: abort on three right letters of "bad!". */
#include <stdlib.h>
char __VERIFIER_nondet_char(void);
void top(char input[4]) {
  int cnt = 0;
  if (input[0] == 'b') cnt++;
  if (input[1] == 'a') cnt++;
  if (input[2] == 'd') cnt++;
  if (input[3] == '!') cnt++;
  if (cnt >= 3) abort();
}
int main(void) {
  char input[4];
  for (int i = 0; i < 4; i++)
    input[i] = __VERIFIER_nondet_char();
  top(input);
  return 0;
}
