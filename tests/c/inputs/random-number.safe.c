//@ verdict: safe
// A number of a seeded generator.
#include <stdlib.h>
int main(void) {
  int table[4] = {0};
  srand(7);
  int first = rand();
  table[rand() % 4] = first;
  return 0;
}
