//@ verdict: unknown
// The function may keep the pointer, so that nothing is lost; it was a leak, a false alarm.
#include <stdlib.h>
void add(int *item);
int main(void) {
  int *item = malloc(sizeof *item);
  if (!item) return 1;
  *item = 1;
  add(item);
  return 0;
}
