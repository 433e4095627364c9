//@ verdict: violation
static int scale(int value, int digits) {
  return value >> (3 - digits);  //~ shift
}

int main(void) {
  return scale(64, 4) == 5;
}
