//@ verdict: safe
// A constant that is defined elsewhere could not be given a value, so that nothing behind the start of the program was looked at.
extern const int limit;

int main(void) {
  int table[4] = {0};
  return limit >= 0 && limit < 4 ? table[limit] : 0;
}
