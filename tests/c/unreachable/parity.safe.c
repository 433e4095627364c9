//@ verdict: safe
static const char *parity(int n) {
  switch (n % 2) {
  case 0:
    return "even";
  case 1:
    return "odd";
  }
  __builtin_unreachable();
}

int main(void) {
  return parity(3)[0] == 'x';
}
