//@ verdict: violation
//@ native: stub
// A function that is defined nowhere gives anything.
unsigned sensor(void);
int main(void) {
  int table[4] = {0};
  unsigned at = sensor();
  return at <= 4 ? table[at] : 0;  //~ array-bounds
}
