//@ verdict: safe
//@ run: exit
//@ native: none
//@ unwind: 5
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += i;
  return sum > 100;
}
