/* Reads settings of the form key=value from the command line and prints them. One setting has no '='. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
  char *key, *value;
};

static int parse(const char *text, struct setting *s) {
  const char *eq = strchr(text, '=');
#ifdef MENDED
  if (!eq)
    eq = text + strlen(text);
#endif
  size_t value_length = strlen(eq);
  size_t key_length = eq - text;
  s->key = malloc(key_length + 1);
  s->value = malloc(value_length + 1);
  if (!s->key || !s->value)
    return -1;
  memcpy(s->key, text, key_length);
  s->key[key_length] = 0;
  strcpy(s->value, *eq ? eq + 1 : "");
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    struct setting s = {NULL, NULL};
    if (parse(argv[i], &s) == 0)
      printf("%s -> %s\n", s.key, s.value);
    free(s.key);
    free(s.value);
  }
  return 0;
}
