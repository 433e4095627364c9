//@ verdict: violation
//@ property: note.buffer-overflow.1
// The name of the program is taken from argv[0] before anything else, as most programs do. The search leaves that call out; the run that follows makes it,
// without the position that a symbolic execution would have guessed for the last slash.
#include <string.h>

static char name[32];
static const char *self;

static const char *base(const char *path) {
  const char *last = strrchr(path, '/');
  return last != NULL ? last + 1 : path;
}

static void note(const char *text) {
  strcpy(name, text);  //~ buffer-overflow
}

int main(int argc, char **argv) {
  self = base(argv[0]);
  for (int i = 1; i < argc; i++)
    note(argv[i]);
  return self[0] == name[0];
}
