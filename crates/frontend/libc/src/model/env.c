/* The environment: any variable may be set to anything.
 *
 * A variable gets its value the first time it is asked for and keeps it. `environ` is apart from that (start.c).
 * direction: exact, but for environ */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>
#include <unistd.h>

enum { MOST = 32 };
static struct variable {
  const char *name;
  char *value; /* null: not set */
} variables[MOST];
static int count, cleared;

static struct variable *find(const char *name, size_t length) {
  for (int i = 0; i < MOST && i < count; i++)
    if (strncmp(variables[i].name, name, length) == 0 && variables[i].name[length] == 0)
      return &variables[i];
  return NULL;
}

static struct variable *add(const char *name, size_t length, char *value) {
  if (count == MOST)
    __blitz_unsupported("more than 32 variables of the environment");
  char *copy = __blitz_heap_alloc(length + 1);
  memcpy(copy, name, length);
  copy[length] = 0;
  __blitz_keep_alive(copy);
  variables[count] = (struct variable){.name = copy, .value = value};
  return &variables[count++];
}

static char *any_value(void) {
  if (cleared || __blitz_no_environment || !__blitz_input_bool("getenv set"))
    return NULL;
  size_t n = __blitz_input_size("getenv length");
  __blitz_assume(n <= 65535);
  n = __blitz_fit(n, 65535);
  char *value = __blitz_heap_alloc(n + 1);
  __blitz_keep_alive(value);
  __blitz_input_bytes(value, n, "getenv");
  value[n] = 0;
  __blitz_assume(__blitz_scan(value, 0, n) == n);
  return value;
}

/* direction: more, variables that environ has not */
char *getenv(const char *name) {
  size_t length = strlen(name);
  if (__blitz_walks_environment()) {
    __blitz_fewer("getenv: the variables in environ");
    __blitz_more("getenv: variables that are not in environ");
  }
  /* No variable can have such a name. */
  if (length == 0 || strchr(name, '=') != NULL)
    return NULL;
  struct variable *v = find(name, length);
  return v ? v->value : add(name, length, any_value())->value;
}

char *secure_getenv(const char *name) { return getenv(name); }
char *__secure_getenv(const char *name) { return getenv(name); }

static void set(const char *name, size_t length, char *value) {
  if (__blitz_walks_environment()) {
    __blitz_fewer("setenv: what is set stands in environ");
    __blitz_more("setenv: environ stays as it was");
  }
  struct variable *v = find(name, length);
  if (v != NULL)
    v->value = value;
  else
    add(name, length, value);
}

int setenv(const char *name, const char *value, int overwrite) {
  if (name == NULL || *name == 0 || strchr(name, '=') != NULL)
    return fail(EINVAL);
  size_t n = strlen(value) + 1;
  if (!overwrite && getenv(name) != NULL)
    return 0;
  /* glibc keeps what it once made: values that others took the place of are no leaks. */
  char *copy = memcpy(__blitz_heap_alloc(n), value, n);
  __blitz_keep_alive(copy);
  set(name, strlen(name), copy);
  return 0;
}

int unsetenv(const char *name) {
  if (*name == 0 || strchr(name, '=') != NULL)
    return fail(EINVAL);
  set(name, strlen(name), NULL);
  return 0;
}

int putenv(char *text) {
  char *equals = strchr(text, '=');
  if (equals == NULL)
    return unsetenv(text);
  set(text, (size_t)(equals - text), equals + 1);
  return 0;
}

/* From then on only what the program sets. */
int clearenv(void) {
  cleared = 1;
  for (int i = 0; i < MOST; i++)
    variables[i].value = NULL;
  return 0;
}
