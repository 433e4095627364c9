/* The environment of the host, in `environ`.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <unistd.h>

/* Where the variable of this name is, or the terminating null. */
static char **find(const char *name, size_t length) {
  char **at = environ;
  for (; *at != NULL; at++)
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
      break;
  return at;
}

char *getenv(const char *name) {
  size_t length = strlen(name);
  char **at = find(name, length);
  return *at ? *at + length + 1 : NULL;
}

char *secure_getenv(const char *name) { return getenv(name); }
char *__secure_getenv(const char *name) { return getenv(name); }

/* Puts the text NAME=VALUE itself into the vector. */
static void put(char *text, size_t length) {
  char **at = find(text, length);
  if (*at != NULL) {
    *at = text;
    return;
  }
  size_t count = (size_t)(at - environ);
  char **bigger = __blitz_heap_alloc((count + 2) * sizeof *bigger);
  memcpy(bigger, environ, count * sizeof *bigger);
  bigger[count] = text;
  bigger[count + 1] = NULL;
  __blitz_keep_alive(bigger);
  environ = bigger;
}

int setenv(const char *name, const char *value, int overwrite) {
  if (name == NULL || *name == 0 || strchr(name, '=') != NULL)
    return fail(EINVAL);
  if (!overwrite && getenv(name) != NULL)
    return 0;
  size_t n = strlen(name), m = strlen(value);
  char *text = __blitz_heap_alloc(n + m + 2);
  __blitz_keep_alive(text);
  memcpy(text, name, n);
  text[n] = '=';
  memcpy(text + n + 1, value, m + 1);
  put(text, n);
  return 0;
}

int unsetenv(const char *name) {
  if (*name == 0 || strchr(name, '=') != NULL)
    return fail(EINVAL);
  for (char **at = find(name, strlen(name)); *at != NULL; at++)
    at[0] = at[1];
  return 0;
}

int putenv(char *text) {
  char *equals = strchr(text, '=');
  if (equals == NULL)
    return unsetenv(text);
  put(text, (size_t)(equals - text));
  return 0;
}

int clearenv(void) {
  *environ = NULL;
  return 0;
}
