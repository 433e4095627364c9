//@ verdict: violation
//@ checks: memory
//@ property: title.buffer-overflow.4
// An escaped name is up to three times as long: with eighteen characters that need it, the title overruns what was meant for it. Where each goes depends
// on what all before it were, unless they are the same.
#include <stdlib.h>
#include <string.h>

struct session {
  int id;
  char name[512];
};

static char *escaped(const char *text) {
  static char out[2048];
  const char *hex = "0123456789abcdef";
  char *q = out;
  for (; *text; text++) {
    if (*text <= ' ' || *text == '%' || *text == '"' || *text == '<') {
      *q++ = '%';
      *q++ = hex[*text >> 4 & 15];
      *q++ = hex[*text & 15];
    } else {
      *q++ = *text;
    }
  }
  *q = 0;
  return out;
}

static char *title(struct session *s) {
  char *t = malloc(40 + strlen(s->name));
  if (!t)
    return NULL;
  strcpy(t, "ftp://");
  strcat(t, escaped(s->name));  //~ buffer-overflow
  return t;
}

int main(int argc, char **argv) {
  static struct session s;
  if (argc < 2)
    return 1;
  strncpy(s.name, argv[1], sizeof s.name - 1);
  char *t = title(&s);
  free(t);
  return 0;
}
