//@ verdict: safe
//@ run: exit
//@ native: none
//@ unwind: 5
static unsigned depth(unsigned n) {
  return n == 0 ? 0 : 1 + depth(n - 1);
}

int main(void) {
  return depth(3) > 100;
}
