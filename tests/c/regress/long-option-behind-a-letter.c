//@ verdict: unknown
// `W;` among the letters says that -W is followed by a long option. The model took -W for a letter like any other.
#include <assert.h>
#include <getopt.h>
#include <stddef.h>

int main(void) {
  static const struct option longs[] = {{"size", no_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
  char *args[] = {"program", "-W", "size", NULL};
  int found = getopt_long(3, args, "W;", longs, NULL);
  assert(found == 'W');
  return 0;
}
