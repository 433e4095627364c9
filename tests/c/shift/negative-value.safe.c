//@ verdict: safe
static int to_fixed(int x) {
  return x << 8;
}

int main(void) {
  return to_fixed(5) == 7;
}
