//@ verdict: violation
//@ checks: +unsigned-overflow
static unsigned remaining(unsigned size, unsigned used) {
  return size - used;  //~ unsigned-overflow
}

int main(void) {
  return remaining(16, 17) > 100;
}
