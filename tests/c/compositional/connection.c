//@ verdict: violation
//@ checks: memory
//@ property: serve.double-free.1
// The same as requests.c through a socket: three requests, the second refused only because of the first.
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static char *name;
static int strict;

static void serve(const char *line) {
  if (strncmp(line, "NAME ", 5) == 0) {
    free(name);  //~ double-free
    if (strict && line[5] == '.')
      return;
    name = strdup(line + 5);
  } else if (strcmp(line, "STRICT") == 0) {
    strict = 1;
  }
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7777)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 5) < 0)
    return 1;
  int connection = accept(listener, NULL, NULL);
  FILE *in = connection < 0 ? NULL : fdopen(connection, "r");
  if (in == NULL)
    return 1;
  char line[200];
  while (fgets(line, sizeof line, in) != NULL) {
    line[strcspn(line, "\n")] = 0;
    serve(line);
  }
  return 0;
}
