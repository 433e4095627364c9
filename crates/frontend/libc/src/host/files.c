/* The file system of the host.
 * direction: exact */
#define _GNU_SOURCE
#include "posix.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HOST(number, a, b, c) checked(__blitz_host(number, (long)(a), (long)(b), (long)(c), 0, 0, 0))

int __blitz_fstat(int fd, struct blitz_stat *out) { return (int)HOST(HOST_FSTAT, fd, out, 0); }

int __blitz_stat(const char *path, struct blitz_stat *out, int follow) {
  __blitz_check_string(path);
  return (int)HOST(HOST_STAT, path, out, follow);
}

static int truncate_by_name(const char *path, long size) {
  int fd = open(path, O_WRONLY);
  if (fd < 0)
    return -1;
  int result = (int)HOST(HOST_FTRUNCATE, fd, size, 0);
  close(fd);
  return result;
}

int __blitz_change(enum change what, const char *path, const char *other, long number) {
  __blitz_check_string(path);
  if (other != NULL)
    __blitz_check_string(other);
  switch (what) {
  case CHANGE_UNLINK: return (int)HOST(HOST_UNLINK, path, 0, 0);
  case CHANGE_RENAME: return (int)HOST(HOST_RENAME, path, other, 0);
  case CHANGE_MKDIR: return (int)HOST(HOST_MKDIR, path, number, 0);
  case CHANGE_RMDIR: return (int)HOST(HOST_RMDIR, path, 0, 0);
  case CHANGE_CHDIR: return (int)HOST(HOST_CHDIR, path, 0, 0);
  case CHANGE_CHMOD: case CHANGE_CHOWN: case CHANGE_UTIME: return (int)HOST(HOST_PRETEND, what, 0, 0);
  case CHANGE_LINK: case CHANGE_SYMLINK: case CHANGE_MKNOD: __blitz_unsupported("link, symlink and mknod on the host");
  case CHANGE_TRUNCATE: return truncate_by_name(path, number);
  }
  return fail(EINVAL);
}

int __blitz_fd_change(enum change what, int fd, long long number) {
  if (what == CHANGE_TRUNCATE)
    return (int)HOST(HOST_FTRUNCATE, fd, number, 0);
  if (what == CHANGE_CHDIR)
    __blitz_unsupported("fchdir on the host");
  return (int)HOST(HOST_PRETEND, what, 0, 0);
}

long __blitz_readlink(const char *path, char *buf, size_t n) {
  __blitz_check_string(path);
  return HOST(HOST_READLINK, path, buf, n);
}

long __blitz_getcwd(char *buf, size_t n) { return HOST(HOST_GETCWD, buf, n, 0) < 0 ? -1 : (long)strlen(buf); }

int __blitz_access(const char *path, int mode) {
  __blitz_check_string(path);
  return (int)HOST(HOST_ACCESS, path, mode, 0);
}

/* All names at once; `at` is where the next one begins. */
struct listing {
  char *names;
  size_t length, at;
};

static struct listing *fetch_names(const char *path) {
  struct listing *list = __blitz_heap_alloc(sizeof *list);
  for (size_t room = 16384;; room *= 2) {
    char *names = __blitz_heap_alloc(room);
    long n = __blitz_host(HOST_LISTDIR, (long)path, (long)names, (long)room, 0, 0, 0);
    if (n >= 0 || n != -ERANGE) {
      *list = (struct listing){.names = names, .length = n > 0 ? (size_t)n : 0};
      return list;
    }
    __blitz_heap_free(names);
  }
}

int __blitz_list(const char *path, void **state, char *name) {
  if (*state == NULL)
    *state = fetch_names(path);
  struct listing *list = *state;
  if (list->at >= list->length)
    return 0;
  size_t n = strlen(list->names + list->at) + 1;
  memcpy(name, list->names + list->at, n < 256 ? n : 256);
  list->at += n;
  return 1;
}

void __blitz_list_end(void *state) {
  struct listing *list = state;
  if (list == NULL)
    return;
  __blitz_heap_free(list->names);
  __blitz_heap_free(list);
}
