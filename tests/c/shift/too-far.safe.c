//@ verdict: safe
static unsigned mask(unsigned bits) {
  return (1u << bits) - 1;
}

int main(void) {
  return mask(31) == 5;
}
