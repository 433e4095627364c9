//@ verdict: safe
static int scale(int value, int digits) {
  return value >> (3 - digits);
}

int main(void) {
  return scale(64, 3) == 5;
}
