//@ verdict: violation
//@ run: exit
// Four independent tests on an input: the branch behind at least three of them is found without trying them one by one.
void reach_error(void);
char __VERIFIER_nondet_char(void);

int main(void) {
  char word[4];
  int hits = 0;
  for (int i = 0; i < 4; i++)
    word[i] = __VERIFIER_nondet_char();
  hits += word[0] == 'b';
  hits += word[1] == 'a';
  hits += word[2] == 'd';
  hits += word[3] == '!';
  if (hits >= 3)
    reach_error();  //~ assertion
  return 0;
}
