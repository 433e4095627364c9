/* A server of lines: what a line does depends on the lines before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *user, *document;
static int locked;

static void login(const char *name) {
  if (user == NULL)
    user = strdup(name);
}

static void edit(const char *name) {
  if (user != NULL && document == NULL)
    document = strdup(name);
}

static void discard(void) {
  if (document != NULL && locked)
    free(document);
}

int main(void) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "LOGIN ", 6) == 0)
      login(line + 6);
    else if (strncmp(line, "EDIT ", 5) == 0)
      edit(line + 5);
    else if (strcmp(line, "LOCK") == 0)
      locked = document != NULL;
    else if (strcmp(line, "DISCARD") == 0)
      discard();
    else
      puts("what?");
  }
  return 0;
}
