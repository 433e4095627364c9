//@ verdict: safe
// A second list of arguments with optind = 1: the model put back what it had stepped over in the first one, beyond the second. And optopt is 0 before an option is wrong.
#include <assert.h>
#include <unistd.h>

static int last_option(int argc, char **argv) {
  int c, last = 0;
  optind = 1;
  while ((c = getopt(argc, argv, "ab")) != -1)
    last = c;
  return last;
}

int main(void) {
  char *first[] = {"p", "f", "-a", "--", "g", 0}, *second[] = {"p", "-b", 0};
  int a = last_option(5, first);
  int end = optind, b = last_option(2, second);
  assert(a == 'a' && b == 'b');
  assert(optopt == 0);
  assert(end == 3);
  return 0;
}
