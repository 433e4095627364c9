/* The entry of a program that runs on the host: real arguments and environment.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <unistd.h>

const int __blitz_model = 0;
const int __blitz_argv_max = 0;
const int __blitz_argv_anyhow = 1;
const int __blitz_by_path = 0;
static char *no_environment[1];
char **environ = no_environment;
char *program_invocation_name = "";
char *program_invocation_short_name = "";
char *__progname = "";

void __blitz_flush_all(void);
void __blitz_finish(void) { __blitz_flush_all(); }

/* All of what a host service lists, NUL-separated, in a heap object; its length through `length`. */
static char *fetch_list(int service, size_t *length) {
  for (size_t room = 4096;; room *= 2) {
    char *text = __blitz_heap_alloc(room);
    long n = __blitz_host(service, (long)text, (long)room, 0, 0, 0, 0);
    if (n >= 0) {
      *length = (size_t)n;
      return text;
    }
    __blitz_heap_free(text);
    if (n != -ERANGE || room >= 65536 * 2) {
      *length = 0;
      return __blitz_heap_alloc(1);
    }
  }
}

/* A null-terminated vector of copies, each string an object of its own so that an overrun is seen. */
static char **split(const char *text, size_t length, size_t *count) {
  size_t n = 0;
  for (size_t i = 0; i < length; i++)
    n += text[i] == 0;
  char **vector = __blitz_heap_alloc((n + 1) * sizeof *vector);
  const char *p = text;
  for (size_t i = 0; i < n; i++) {
    size_t size = strlen(p) + 1;
    vector[i] = memcpy(__blitz_heap_alloc(size), p, size);
    __blitz_keep_alive(vector[i]);
    p += size;
  }
  vector[n] = NULL;
  __blitz_keep_alive(vector);
  *count = n;
  return vector;
}

int __blitz_entry(void) {
  size_t length, count;
  char *text = fetch_list(HOST_ENVIRON, &length);
  environ = split(text, length, &count);
  __blitz_heap_free(text);
  text = fetch_list(HOST_ARGV, &length);
  char **argv = split(text, length, &count);
  __blitz_heap_free(text);
  if (count > 0) {
    char *slash = strrchr(argv[0], '/');
    program_invocation_name = argv[0];
    program_invocation_short_name = __progname = slash ? slash + 1 : argv[0];
  }
  __blitz_run_constructors();
  exit(__blitz_user_main((int)count, argv, environ));
}
