//@ verdict: safe
#include <stdlib.h>

struct option {
  const char *value;
  int owned;
};

int main(void) {
  struct option o = {"default", 0};
  if (o.owned)
    free((void *)o.value);
  return 0;
}
