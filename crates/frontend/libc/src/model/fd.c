/* Descriptors of the modelled environment.
 *
 * Standard input is a pipe whose writer has written all and gone: a short read means the end, and what was read is
 * the concatenation of all inputs named "stdin". A regular file is an object with its contents as input, so that it
 * can be read again after a seek. What is written to standard output or to a file opened for writing leaves the
 * program. Absent: writes that fail (a full disk).
 * direction: exact, but that output never fails, that files have up to 128 KiB, and that what stands between the
 * slashes of a name may have more than 255 bytes */
#define _GNU_SOURCE
#include "model.h"
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static struct file standard_input = {.kind = KIND_STDIN, .flags = O_RDONLY, .descriptors = 1};
static struct file standard_output = {.kind = KIND_SINK, .flags = O_WRONLY, .descriptors = 1};
static struct file standard_error = {.kind = KIND_SINK, .flags = O_WRONLY, .descriptors = 1};
struct file *__blitz_fds[DESCRIPTORS] = {&standard_input, &standard_output, &standard_error};

struct file *__blitz_file(int fd) {
  if (fd >= 0 && fd < DESCRIPTORS && __blitz_fds[fd] != NULL)
    return __blitz_fds[fd];
  errno = EBADF;
  return NULL;
}

int __blitz_new_fd(struct file *file) {
  for (int fd = 0; fd < DESCRIPTORS; fd++)
    if (__blitz_fds[fd] == NULL) {
      __blitz_fds[fd] = file;
      return fd;
    }
  return fail(EMFILE);
}

struct file *__blitz_new_file(int kind, int flags) {
  struct file *file = __blitz_heap_alloc(sizeof *file);
  __blitz_keep_alive(file);
  *file = (struct file){.kind = kind, .flags = flags, .descriptors = 1};
  return file;
}

/* Reading. */

/* A fresh byte is one that what was read before allows. */
static void assume_follows(struct file *file, unsigned char byte) {
  if (file->follows == FOLLOWS_BLANK)
    __blitz_assume(byte == ' ' || (byte >= '\t' && byte <= '\r'));
  if (file->follows == FOLLOWS_NO_DIGIT)
    __blitz_assume(byte < '0' || byte > '9');
  file->follows = FOLLOWS_ANY;
}

/* How many bytes standard input has at most, if it is limited (`blitz explore --sym-stdin`), and how many were read. */
enum { UNLIMITED = -1 };
__attribute__((weak)) const unsigned __blitz_stdin_max = UNLIMITED;
static size_t stdin_read;

size_t __blitz_stdin_left(void) {
  return __blitz_stdin_max == (unsigned)UNLIMITED ? (size_t)-1 : __blitz_stdin_max - stdin_read;
}

void __blitz_stdin_took(size_t n) {
  if (__blitz_stdin_max != (unsigned)UNLIMITED)
    stdin_read += n;
}

static int next_stdin(struct file *file) {
  if (file->ended || __blitz_stdin_left() == 0 || __blitz_input_bool("stdin ends")) {
    file->ended = true;
    return -1;
  }
  unsigned char byte = __blitz_input_u8("stdin");
  __blitz_stdin_took(1);
  assume_follows(file, byte);
  return byte;
}

static int next_socket(struct file *file) {
  if (file->ended || __blitz_input_bool("socket ends")) {
    file->ended = true;
    return -1;
  }
  return __blitz_input_u8("socket");
}

static int next_stored(struct file *file) { return file->at < file->size ? file->data[file->at++] : -1; }

int __blitz_file_next(struct file *file) {
  switch (file->kind) {
  case KIND_STDIN: return next_stdin(file);
  case KIND_SOCKET: return next_socket(file);
  case KIND_FILE: case KIND_PIPE: return next_stored(file);
  default: return -1;
  }
}

/* How many of n bytes come before the end; fewer than n is the end. */
static size_t count_stdin(struct file *file, size_t n) {
  if (file->ended || n == 0)
    return 0;
  size_t got = __blitz_input_size("stdin count");
  __blitz_assume(got <= n && got <= __blitz_stdin_left());
  if (__blitz_stdin_max != (unsigned)UNLIMITED)
    got = __blitz_fit(got, __blitz_stdin_max);
  __blitz_stdin_took(got);
  file->ended = got < n;
  return got;
}

static size_t count_socket(struct file *file, size_t n) {
  if (file->ended || n == 0)
    return 0;
  size_t got = __blitz_input_size("socket count");
  __blitz_assume(got <= n);
  file->ended = got == 0;
  return got;
}

/* Bytes that do not fit are read before the access fails: the inputs of a run that ends there hold them. Where that is not checked, it does not happen. */
#define INPUT_BYTES(p, n, name)                                                                                        \
  do {                                                                                                                 \
    if (n > 0 && !__blitz_writable(p, n)) {                                                                            \
      __blitz_input_bytes(__blitz_heap_alloc(n), n, name);                                                             \
      __blitz_check_write(p, n);                                                                                       \
      __blitz_assume(0);                                                                                               \
    }                                                                                                                  \
    __blitz_input_bytes(p, n, name);                                                                                   \
  } while (0)

size_t __blitz_file_read(struct file *file, void *p, size_t n) {
  size_t got = 0;
  switch (file->kind) {
  case KIND_STDIN:
    got = __blitz_fit(count_stdin(file, n), n);
    INPUT_BYTES(p, got, "stdin");
    if (file->follows != FOLLOWS_ANY && got > 0)
      assume_follows(file, *(unsigned char *)p);
    return got;
  case KIND_SOCKET:
    got = __blitz_fit(count_socket(file, n), n);
    INPUT_BYTES(p, got, "socket");
    return got;
  case KIND_FILE:
  case KIND_PIPE:
    got = file->at < file->size ? file->size - file->at : 0;
    got = got < n ? got : n;
    memcpy(p, file->data + file->at, got);
    file->at += got;
    return got;
  default:
    return 0;
  }
}

/* A line of stdin or of a socket: n bytes without the delimiter, or fewer of which the last is it, or the end. */
size_t __blitz_file_line(struct file *file, void *p, size_t n, int delim) {
  unsigned char *bytes = p;
  if (n == 0)
    return 0;
  if (file->kind == KIND_STDIN || file->kind == KIND_SOCKET) {
    bool ended = file->ended;
    size_t got = __blitz_file_read(file, p, n);
    if (got == 0)
      return 0;
    size_t at = __blitz_scan(p, delim, got);
    __blitz_assume(at >= got - 1);
    if (at == got - 1)
      file->ended = ended;
    else if (got < n)
      file->ended = true;
    return got;
  }
  if (file->kind != KIND_FILE && file->kind != KIND_PIPE)
    return 0;
  size_t left = file->at < file->size ? file->size - file->at : 0;
  size_t limit = left < n ? left : n;
  size_t at = __blitz_scan(file->data + file->at, delim, limit);
  size_t got = at < limit ? at + 1 : limit;
  memcpy(bytes, file->data + file->at, got);
  file->at += got;
  return got;
}

ssize_t read(int fd, void *p, size_t n) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  if ((file->flags & O_ACCMODE) == O_WRONLY)
    return fail(EBADF);
  if (n > (size_t)1 << 16 && file->kind != KIND_FILE)
    n = (size_t)1 << 16;
  return (ssize_t)__blitz_file_read(file, p, n);
}

/* Writing. */

/* Room for `size` bytes of contents; what is new is zero. */
void __blitz_file_extend(struct file *file, size_t size) {
  if (size <= file->size)
    return;
  unsigned char *data = __blitz_heap_alloc(size + 1); /* with room for a zero, see __blitz_stream_text */
  __blitz_keep_alive(data);
  memcpy(data, file->data, file->size);
  memset(data + file->size, 0, size - file->size);
  if (file->data != NULL)
    __blitz_heap_free(file->data);
  file->data = data;
  file->size = size;
}

size_t __blitz_file_write(struct file *file, int fd, const void *p, size_t n) {
  __blitz_check_read(p, n);
  __blitz_check_defined(p, n);
  if (file->kind == KIND_FILE || file->kind == KIND_PIPE) {
    size_t at = file->kind == KIND_PIPE || file->flags & O_APPEND ? file->size : file->at;
    __blitz_file_extend(file, at + n);
    memcpy(file->data + at, p, n);
    if (file->kind == KIND_FILE)
      file->at = at + n;
  } else {
    __blitz_output(fd, p, n);
    file->at += n;
  }
  return n;
}

ssize_t write(int fd, const void *p, size_t n) {
  struct file *file = __blitz_file(fd);
  if (file == NULL || (file->flags & O_ACCMODE) == O_RDONLY)
    return fail(EBADF);
  return (ssize_t)__blitz_file_write(file, fd, p, n);
}

/* Opening. */

/* Contents of a file: any bytes of any length that offsets of a pointer can hold. */
#if __SIZEOF_POINTER__ == 8
enum { LARGEST_FILE = 1 << 17 };
#else
enum { LARGEST_FILE = 1 << 16 };
#endif

/* How many files there are that can be opened, and how large each is at most, if that is limited (`blitz explore --sym-files`). */
__attribute__((weak)) const unsigned __blitz_files_max = UNLIMITED;
__attribute__((weak)) const unsigned __blitz_file_max = UNLIMITED;
static unsigned files_opened;

static int no_file_left(void) {
  return __blitz_files_max != (unsigned)UNLIMITED && files_opened++ >= __blitz_files_max;
}

/* A file was opened for writing: which one, nobody remembers. */
static int written;

static void any_contents(struct file *file) {
  if (written)
    __blitz_more("open: a file that was written before holds something else");
  size_t n = __blitz_input_size("file size");
  __blitz_assume(n <= LARGEST_FILE && n <= __blitz_file_max);
  n = __blitz_fit(n, __blitz_file_max < LARGEST_FILE ? __blitz_file_max : LARGEST_FILE);
  file->data = __blitz_heap_alloc(n + 1);
  __blitz_keep_alive(file->data);
  __blitz_input_bytes(file->data, n, "file");
  file->size = n;
}

/* Nothing comes out of it, and what goes in is gone. Of a path that is an input nobody asks. */
static _Bool is_null_device(const char *path) { return !__blitz_open((size_t)path[0]) && strcmp(path, "/dev/null") == 0; }

static int open_file(const char *path, int flags) {
  int code = CHOICE("open fails", ENOENT, EACCES, EISDIR);
  if (code != 0)
    return fail(code);
  if (is_null_device(path))
    return __blitz_new_fd(__blitz_new_file((flags & O_ACCMODE) == O_RDONLY ? KIND_FILE : KIND_SINK, flags));
  /* A native run is told by the input that it fails. */
  if ((flags & O_ACCMODE) == O_RDONLY && no_file_left())
    __blitz_assume(0);
  int writes_only = (flags & O_ACCMODE) == O_WRONLY;
  struct file *file = __blitz_new_file(writes_only ? KIND_SINK : KIND_FILE, flags);
  if (!writes_only && !(flags & O_TRUNC))
    any_contents(file);
  written |= (flags & O_ACCMODE) != O_RDONLY;
  return __blitz_new_fd(file);
}

int __blitz_check_path(const char *path) {
  __blitz_check_string(path);
  size_t length = __blitz_scan(path, 0, SIZE_MAX);
  if (length == 0)
    return fail(ENOENT);
  if (length >= PATH_MAX)
    return fail(ENAMETOOLONG);
  if (length <= NAME_MAX)
    return 0;
  size_t first = __blitz_scan(path, '/', length);
  if (first > NAME_MAX)
    return fail(ENAMETOOLONG);
  if (length - first - 1 > NAME_MAX)
    __blitz_more("open: behind the first slash names may have more than 255 bytes");
  return 0;
}

int open(const char *path, int flags, ...) { return __blitz_check_path(path) != 0 ? -1 : open_file(path, flags); }

int close(int fd) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  __blitz_fds[fd] = NULL;
  file->descriptors--;
  return 0;
}

off_t lseek(int fd, off_t offset, int whence) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  if (file->kind != KIND_FILE && (file->kind != KIND_SINK || fd <= 2))
    return fail(ESPIPE);
  off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)file->at : (off_t)file->size;
  if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
    return fail(EINVAL);
  off_t to;
  if (__builtin_add_overflow(from, offset, &to) || to < 0)
    return fail(EINVAL);
  file->at = (size_t)to;
  return to;
}

/* Never a terminal: a replay has none. */
int isatty(int fd) {
  if (__blitz_file(fd) != NULL)
    errno = ENOTTY;
  return 0;
}
