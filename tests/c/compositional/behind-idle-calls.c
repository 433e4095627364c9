//@ verdict: violation
//@ property: command.buffer-overflow.3
// Behind a loop with a constant counter, calls that are always made and write elsewhere, and a file that has to be opened: the
// empty line. The calls are taken to change nothing, and the inputs behind them still have to reach the run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
  int fd, section;
  unsigned lines;
};

static struct session session;
static unsigned char pool[64];
static unsigned stirred;

static struct session *open_session(void) {
  session.fd = 0;
  return session.fd != -1 ? &session : NULL;
}

static void stir(void) {
  for (int i = 0; i < 64; i++)
    pool[i] = (unsigned char)(pool[i] + 7 * i);
  stirred++;
}

static int command(struct session *s, char *line) {
  if (s == NULL || s->fd == -1)
    return -1;
  while (line[strlen(line) - 1] == '\n') //~ buffer-overflow
    line[strlen(line) - 1] = 0;
  s->lines++;
  return 0;
}

static int load(struct session *s, const char *name) {
  char line[80];
  FILE *f = fopen(name, "r");
  if (f == NULL)
    return -1;
  while (fgets(line, sizeof line, f) != NULL)
    if (command(s, line) < 0)
      break;
  fclose(f);
  return 0;
}

int main(int argc, char **argv) {
  const char *saved[20];
  for (int i = 0; i < 20; i++)
    saved[i] = i < argc ? argv[i] : NULL;
  struct session *s = open_session();
  stir();
  s->section = 1;
  stir();
  if (stirred == 0)
    return 1;
  return load(s, saved[0] ? "session.conf" : "") < 0 ? 1 : 0;
}
