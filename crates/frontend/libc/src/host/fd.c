/* Descriptors and files of the host. */
#define _GNU_SOURCE
#include "libc.h"
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

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
  }
  __blitz_check_string(path);
  return (int)HOST(HOST_OPEN, path, flags, mode);
}

int close(int fd) { return (int)HOST(HOST_CLOSE, fd, 0, 0); }

off_t lseek(int fd, off_t offset, int whence) { return HOST(HOST_LSEEK, fd, offset, whence); }

int isatty(int fd) {
  if (HOST(HOST_ISATTY, fd, 0, 0) == 1)
    return 1;
  errno = ENOTTY;
  return 0;
}
