//@ verdict: violation
//@ checks: array-bounds
// As many pieces as there are colons: the text is taken apart in place, each search goes on where the last one ended.
#include <stdlib.h>
#include <string.h>

static char *pieces[90];
static char *text;

static void take_apart(void) {
  int count = 0;
  for (char *from = text, *end;; from = end + 1) {
    if ((end = strchr(from, ':')) != NULL)
      *end = 0;
    pieces[count++] = strdup(from); //~ array-bounds
    if (end == NULL)
      break;
  }
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  text = argv[1];
  take_apart();
  return pieces[0] == NULL;
}
