//@ verdict: violation
//@ checks: memory
//@ property: open_folder.double-free.1
// A server that keeps the folder of the last request: one that is refused leaves its name dangling, and only another request after
// that one, when the complaint was read, frees it again. Five requests, in this order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;
static char *user;
static const char *complaint;
static int messages[64], count;

static void complain(const char *text) {
  if (complaint == NULL)
    complaint = text;
}

static void login(const char *name) {
  if (name[0] != '@') {
    complain("a user begins with @");
    return;
  }
  free(user);
  user = strdup(name);
}

static void open_folder(const char *name) {
  if (complaint != NULL || user == NULL)
    return;
  if (folder != NULL)
    free(folder);  //~ double-free
  if (name[0] != 0 && name[strlen(name) - 1] == ':') {
    complain("no colon there");
    return;
  }
  folder = strdup(name);
}

static void add(const char *text) {
  if (count < 64)
    messages[count++] = (int)strlen(text);
}

static void list(const char *text) {
  for (int i = 0; i < count; i++)
    printf("%d\n", messages[i] + text[0]);
}

static void why(const char *text) {
  if (complaint != NULL)
    printf("%s%s\n", complaint, text);
  complaint = NULL;
}

static const struct request {
  const char *name;
  void (*serve)(const char *);
} requests[] = {{"ADD", add}, {"LIST", list}, {"LOGIN", login}, {"OPEN", open_folder}, {"WHY", why}};

int main(int argc, char **argv) {
  char line[128];
  if (argc != 2 || strcmp(argv[1], "--serve") != 0)
    return 1;
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = 0;
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++) {
      size_t n = strlen(requests[i].name);
      if (strncmp(line, requests[i].name, n) == 0 && line[n] == ' ')
        requests[i].serve(line + n + 1);
    }
  }
  return 0;
}
