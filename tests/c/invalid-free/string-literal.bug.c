//@ verdict: violation
#include <stdlib.h>

struct option {
  const char *value;
  int owned;
};

int main(void) {
  struct option o = {"default", 1};
  if (o.owned)
    free((void *)o.value);  //~ invalid-free
  return 0;
}
