/* Descriptors and files of the host.
 * direction: exact */
#define _GNU_SOURCE
#include "posix.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define HOST(number, a, b, c) checked(__blitz_host(number, (long)(a), (long)(b), (long)(c), 0, 0, 0))

ssize_t read(int fd, void *p, size_t n) {
  __blitz_check_write(p, n);
  return HOST(HOST_READ, fd, p, n);
}

ssize_t write(int fd, const void *p, size_t n) {
  __blitz_check_read(p, n);
  __blitz_check_defined(p, n);
  return HOST(HOST_WRITE, fd, p, n);
}

/* Directories that are open, for the functions that take paths relative to them. */
enum { DIRECTORIES = 256 };
static char *directories[DIRECTORIES];

const char *__blitz_directory(int fd) { return fd >= 0 && fd < DIRECTORIES ? directories[fd] : NULL; }

static void remember_directory(int fd, const char *path) {
  if (fd < 0 || fd >= DIRECTORIES)
    return;
  size_t n = strlen(path) + 1;
  directories[fd] = memcpy(__blitz_heap_alloc(n), path, n);
}

static void forget_directory(int fd) {
  if (__blitz_directory(fd) == NULL)
    return;
  __blitz_heap_free(directories[fd]);
  directories[fd] = NULL;
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
  }
  __blitz_check_string(path);
  int fd = (int)HOST(HOST_OPEN, path, flags, mode);
  if (flags & O_DIRECTORY)
    remember_directory(fd, path);
  return fd;
}

int close(int fd) {
  forget_directory(fd);
  return (int)HOST(HOST_CLOSE, fd, 0, 0);
}

off_t lseek(int fd, off_t offset, int whence) { return HOST(HOST_LSEEK, fd, offset, whence); }

int isatty(int fd) {
  if (HOST(HOST_ISATTY, fd, 0, 0) == 1)
    return 1;
  errno = ENOTTY;
  return 0;
}

int dup(int fd) { return (int)HOST(HOST_DUP, fd, 0, 0); }
int dup2(int from, int to) { return (int)HOST(HOST_DUP2, from, to, 0); }
int dup3(int from, int to, int flags) { return from == to ? fail(EINVAL) : dup2(from, to); }

int fcntl(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  long arg = command == F_GETFD || command == F_GETFL ? 0 : va_arg(args, long);
  va_end(args);
  if (command == F_GETLK || command == F_SETLK || command == F_SETLKW)
    return 0;
  return (int)HOST(HOST_FCNTL, fd, command, arg);
}

int fcntl64(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  long arg = command == F_GETFD || command == F_GETFL ? 0 : va_arg(args, long);
  va_end(args);
  return fcntl(fd, command, arg);
}

int ioctl(int fd, unsigned long request, ...) { return fail(ENOTTY); }

/* Other processes are out of reach, so a pipe would have nobody at the other end. */
int pipe(int fds[2]) { return fail(EMFILE); }
int pipe2(int fds[2], int flags) { return fail(EMFILE); }
