//@ verdict: violation
//@ checks: array-bounds
// A list in the environment is taken apart into a table; options and messages on the way there have nothing to do with it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *list, *program;
static int verbose, width = 80;

static char *copy(const char *text) {
  char *made = malloc(strlen(text) + 1);
  if (!made)
    exit(1);
  strcpy(made, text);
  return made;
}

static char *last_part(char *path) {
  char *slash = strrchr(path, '/');
  return copy(slash ? slash + 1 : path);
}

static void options(int argc, char **argv) {
  int c;
  while ((c = getopt(argc, argv, "vw:")) != -1)
    switch (c) {
    case 'v': verbose = 1; break;
    case 'w': width = atoi(optarg); break;
    default: exit(2);
    }
}

static char *usual(const char *name) {
  for (int i = 0; i < 3; i++)
    if (name[i] == 'Q')
      return "1:2:3";
  fprintf(stderr, "%s: nothing is known of %s\n", program, name);
  return "";
}

static char **parts(void) {
  static char *table[40];
  char *at, *end;
  int n = 0;
  if (!list) {
    if ((at = getenv("PARTS")) == NULL)
      at = usual("PARTS");
    list = copy(at);
  }
  for (at = list;; at = end + 1) {
    if ((end = strchr(at, ':')) != NULL)
      *end = 0;
    table[n++] = copy(at); //~ array-bounds
    if (!end || n + 1 == sizeof table)
      break;
  }
  return table;
}

int main(int argc, char **argv) {
  program = last_part(argv[0]);
  options(argc, argv);
  if (optind == argc)
    fprintf(stderr, "%s: which one?\n", program);
  return verbose + (parts()[0] != NULL) + width;
}
