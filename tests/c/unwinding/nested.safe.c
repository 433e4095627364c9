//@ verdict: safe
//@ run: exit
//@ native: none
//@ unwind: 5
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i + 3; j++)
      sum += j;
  return sum > 100;
}
