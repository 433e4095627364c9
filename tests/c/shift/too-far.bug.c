//@ verdict: violation
static unsigned mask(unsigned bits) {
  return (1u << bits) - 1;  //~ shift
}

int main(void) {
  return mask(32) == 5;
}
