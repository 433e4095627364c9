//@ verdict: safe
//@ checks: +unsigned-overflow
static unsigned remaining(unsigned size, unsigned used) {
  return size - used;
}

int main(void) {
  return remaining(16, 16) > 100;
}
