/* <stdio.h>: temporary files, memory streams, pipes to commands.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

FILE *tmpfile(void) {
  char name[] = "/tmp/blitzXXXXXX";
  int fd = mkstemp(name);
  if (fd < 0)
    return NULL;
  unlink(name);
  return fdopen(fd, "w+");
}

FILE *tmpfile64(void) { return tmpfile(); }

/* Names: the six X at the end (before a suffix) become letters that count up. */
static int fill_template(char *name, int suffix) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  static unsigned counter;
  size_t n = strlen(name);
  if (suffix < 0 || n < 6 + (size_t)suffix || memcmp(name + n - 6 - (size_t)suffix, "XXXXXX", 6) != 0)
    return fail(EINVAL);
  unsigned value = counter++ + (__blitz_model ? 0 : (unsigned)getpid() * 64);
  char *at = name + n - 6 - (size_t)suffix;
  for (int i = 0; i < 6; i++, value /= 36)
    at[i] = letters[value % 36];
  return 0;
}

int mkostemps(char *name, int suffix, int flags) {
  for (int i = 0; i < (__blitz_model ? 1 : 100); i++) {
    if (i > 0)
      memcpy(name + strlen(name) - 6 - (size_t)suffix, "XXXXXX", 6);
    if (fill_template(name, suffix) < 0)
      return -1;
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_TRUNC | flags, 0600);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

int mkstemp(char *name) { return mkostemps(name, 0, 0); }
int mkstemp64(char *name) { return mkostemps(name, 0, 0); }
int mkostemp(char *name, int flags) { return mkostemps(name, 0, flags); }
int mkstemps(char *name, int suffix) { return mkostemps(name, suffix, 0); }

char *mktemp(char *name) {
  if (fill_template(name, 0) < 0)
    *name = 0;
  return name;
}

char *mkdtemp(char *name) {
  int mkdir(const char *, mode_t);
  return fill_template(name, 0) == 0 && mkdir(name, 0700) == 0 ? name : NULL;
}

char *tmpnam(char *buf) {
  static char own[L_tmpnam];
  char *name = buf ? buf : own;
  strcpy(name, "/tmp/fileXXXXXX");
  return fill_template(name, 0) == 0 ? name : NULL;
}

char *tempnam(const char *dir, const char *prefix) {
  char *name;
  if (asprintf(&name, "%s/%.5sXXXXXX", dir ? dir : "/tmp", prefix ? prefix : "file") < 0)
    return NULL;
  fill_template(name, 0);
  return name;
}

/* Memory streams. */

FILE *__blitz_new_stream(int fd, int flags);
struct stream *__blitz_loose_stream(int fd, int flags);

FILE *fmemopen(void *restrict buf, size_t size, const char *restrict mode) {
  char *own = buf == NULL ? malloc(size) : NULL;
  if (buf == NULL && own == NULL)
    return NULL;
  FILE *f = __blitz_new_stream(-1, 0);
  struct stream *s = (struct stream *)f;
  _Bool both = strchr(mode, '+') != NULL;
  s->mem = buf ? buf : own;
  s->own_mem = buf == NULL;
  if ((own != NULL && size > 0) || (mode[0] == 'w' && both))
    s->mem[0] = 0;
  s->mem_room = size;
  s->mem_size = mode[0] == 'r' ? size : mode[0] == 'a' ? strnlen(s->mem, size) : 0;
  s->mem_at = mode[0] == 'a' ? s->mem_size : 0;
  if (mode[0] == 'a')
    f->_flags |= STREAM_APPEND;
  if (!both)
    f->_flags |= mode[0] == 'r' ? STREAM_NO_WRITE : STREAM_NO_READ;
  __blitz_memory_open(s);
  return f;
}

FILE *open_memstream(char **out, size_t *size) {
  struct stream *s = __blitz_loose_stream(-1, STREAM_NO_READ);
  s->mem = __blitz_heap_alloc(MEMORY_BUFFER);
  memset(s->mem, 0, MEMORY_BUFFER);
  s->mem_room = MEMORY_BUFFER;
  s->mem_out = out;
  s->mem_out_size = size;
  return &s->f;
}

/* Pipes to commands: standard input of the one side is a file of the other. */

FILE *popen(const char *command, const char *mode) {
  __blitz_check_string(command);
  int fd = __blitz_open_command(mode[0] == 'r');
  return fd < 0 ? NULL : fdopen(fd, mode);
}

int pclose(FILE *f) {
  fclose(f);
  return __blitz_command_status();
}

char *ctermid(char *buf) {
  static char own[L_ctermid];
  return strcpy(buf ? buf : own, "/dev/tty");
}

char *cuserid(char *buf) {
  static char own[32];
  return strcpy(buf ? buf : own, "user");
}
