//@ verdict: safe
// Was: violation. `--help` whose value is negative, as GNU's programs have it: getopt_long took "less than zero" for "no long option", went on behind the last
// argument and read through the null pointer there: a violation that does not happen.
#include <assert.h>
#include <getopt.h>
#include <stddef.h>

static const struct option longs[] = {{"help", no_argument, NULL, -130}, {"version", no_argument, NULL, -131}, {NULL, 0, NULL, 0}};

int main(void) {
  char *argv[] = {"p", "--help", "--ver", NULL};
  assert(getopt_long(3, argv, "", longs, NULL) == -130);
  assert(getopt_long(3, argv, "", longs, NULL) == -131);
  assert(getopt_long(3, argv, "", longs, NULL) == -1);
  return 0;
}
