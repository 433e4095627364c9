//@ verdict: bounded
//@ run: exit
//@ native: none
//@ unwind: 5
int main(void) {
  int sum = 0;
  for (int i = 0; i < 6; i++)  //~ unwinding
    sum += i;
  return sum > 100;
}
