// Option letters that stand together were taken not to, in arguments that the program gives itself as well: what came behind them was `safe`.
//@ verdict: safe
#include <assert.h>
#include <unistd.h>

int main(void) {
  char *arguments[] = {"program", "-ab", "x", 0};
  opterr = 0;
  int first = getopt(3, arguments, "ab");
  int second = getopt(3, arguments, "ab");
  assert(first == 'a' && second == 'b');
  assert(optind == 2);
  return 0;
}
