/* Descriptors that share a file, pipes, and what can be asked of a descriptor.
 * direction: exact */
#define _GNU_SOURCE
#include "model.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* FD_CLOEXEC of each descriptor: nothing here executes another program, it is only remembered. */
static unsigned char close_on_exec[DESCRIPTORS];

int dup(int fd) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  file->descriptors++;
  return __blitz_new_fd(file);
}

int dup2(int from, int to) {
  struct file *file = __blitz_file(from);
  if (file == NULL)
    return -1;
  if (to < 0)
    return fail(EBADF);
  if (to >= DESCRIPTORS) {
    __blitz_fewer("dup2: descriptors from 64 on");
    return fail(EBADF);
  }
  if (from == to)
    return to;
  if (__blitz_fds[to] != NULL)
    close(to);
  file->descriptors++;
  __blitz_fds[to] = file;
  close_on_exec[to] = 0;
  return to;
}

int dup3(int from, int to, int flags) {
  int copied = from == to ? fail(EINVAL) : dup2(from, to);
  if (copied >= 0)
    close_on_exec[to] = (flags & O_CLOEXEC) != 0;
  return copied;
}

int pipe(int fds[2]) {
  struct file *file = __blitz_new_file(KIND_PIPE, O_RDWR);
  int in = __blitz_new_fd(file);
  int out = in < 0 ? -1 : __blitz_new_fd(file);
  if (out < 0)
    return -1;
  file->descriptors = 2;
  fds[0] = in;
  fds[1] = out;
  return 0;
}

int pipe2(int fds[2], int flags) { return pipe(fds); }

/* The lowest free descriptor from `least` on. */
static int copy(int fd, long least, int flag) {
  if (least < 0 || least >= 1 << 20)
    return fail(EINVAL);
  for (long to = least; to < DESCRIPTORS; to++)
    if (__blitz_fds[to] == NULL) {
      __blitz_fds[to] = __blitz_fds[fd];
      __blitz_fds[fd]->descriptors++;
      close_on_exec[to] = (unsigned char)flag;
      return (int)to;
    }
  __blitz_fewer("fcntl: descriptors from 64 on");
  return fail(EMFILE);
}

static int control(int fd, int command, long arg) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  switch (command) {
  case F_DUPFD: return copy(fd, arg, 0);
  case F_DUPFD_CLOEXEC: return copy(fd, arg, FD_CLOEXEC);
  case F_GETFD: return close_on_exec[fd];
  case F_SETFD: close_on_exec[fd] = arg & FD_CLOEXEC; return 0;
  case F_GETFL: return file->flags;
  case F_SETFL: file->flags = (file->flags & O_ACCMODE) | ((int)arg & ~O_ACCMODE); return 0;
  default: return 0;
  }
}

int fcntl(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  long arg = command == F_GETFD || command == F_GETFL ? 0 : va_arg(args, long);
  va_end(args);
  return control(fd, command, arg);
}

int fcntl64(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  long arg = command == F_GETFD || command == F_GETFL ? 0 : va_arg(args, long);
  va_end(args);
  return control(fd, command, arg);
}

/* How many bytes wait is known for nothing but files; no descriptor is a terminal. */
int ioctl(int fd, unsigned long request, ...) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  if (request != FIONREAD || file->kind != KIND_FILE)
    return request == FIONBIO ? 0 : fail(ENOTTY);
  va_list args;
  va_start(args, request);
  *va_arg(args, int *) = (int)(file->at < file->size ? file->size - file->at : 0);
  va_end(args);
  return 0;
}
