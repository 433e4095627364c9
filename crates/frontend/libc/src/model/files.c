/* The file system in the modelled environment: no memory of names.
 *
 * Anything may be there or not each time it is asked for: between two calls other processes may create, change or
 * remove files. So each answer is an input of its own.
 * direction: exact, but for errors that have no input */
#define _GNU_SOURCE
#include "posix.h"
#include "model.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill(struct blitz_stat *out, unsigned mode, long long size) {
  memset(out, 0, sizeof *out);
  out->dev = 1;
  out->ino = __blitz_input_u32("st_ino");
  out->mode = mode;
  out->nlink = 1;
  out->uid = out->gid = 1000;
  out->size = size;
  out->blksize = 4096;
  out->blocks = (size + 511) / 512;
  long long seconds = __blitz_input_u32("st_mtime");
  __blitz_assume(seconds <= 2147483647);
  out->atime = out->mtime = out->ctime = seconds;
}

int __blitz_fstat(int fd, struct blitz_stat *out) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  if (file->kind == KIND_FILE || (file->kind == KIND_SINK && fd > 2))
    fill(out, S_IFREG | 0644, (long long)file->size);
  else
    fill(out, (file->kind == KIND_SOCKET ? S_IFSOCK : S_IFIFO) | 0600, 0);
  return 0;
}

int __blitz_stat(const char *path, struct blitz_stat *out, int follow) {
  if (__blitz_check_path(path) != 0)
    return -1;
  int code = CHOICE("stat fails", ENOENT, EACCES, ENOTDIR);
  if (code != 0)
    return fail(code);
  unsigned type = __blitz_input_u8("st_mode type");
  __blitz_assume(type <= (follow ? 2 : 3));
  static const unsigned types[] = {S_IFREG, S_IFDIR, S_IFIFO, S_IFLNK};
  unsigned rights = __blitz_input_u16("st_mode rights");
  __blitz_assume(rights <= 07777);
  long long size = __blitz_input_llong("st_size");
  __blitz_assume(size >= 0 && size <= (1LL << (sizeof(off_t) == 8 ? 40 : 30)));
  fill(out, types[type] | rights, size);
  return 0;
}

int __blitz_change(enum change what, const char *path, const char *other, long number) {
  if (__blitz_check_path(path) != 0 || (other != NULL && __blitz_check_path(other) != 0))
    return -1;
  int code = CHOICE("file change fails", EACCES, ENOENT, EEXIST);
  if (what == CHANGE_TRUNCATE && code == 0) {
    __blitz_fewer("truncate: files that are open are not changed");
    __blitz_more("truncate: files that are open stay as they are");
  }
  return code == 0 ? 0 : fail(code);
}

int __blitz_fd_change(enum change what, int fd, long long number) {
  struct file *file = __blitz_file(fd);
  if (file == NULL)
    return -1;
  if (what == CHANGE_TRUNCATE && file->kind == KIND_FILE) {
    if (number < 0)
      return fail(EINVAL);
    if ((unsigned long long)number <= file->size)
      file->size = (size_t)number;
    else
      __blitz_file_extend(file, (size_t)number);
    return 0;
  }
  return 0;
}

/* Lengths of what is never empty: an input that nobody has chosen is 0. */
static size_t at_least_one(size_t n) { return n == 0 ? 1 : n; }

long __blitz_readlink(const char *path, char *buf, size_t n) {
  if (__blitz_check_path(path) != 0)
    return -1;
  int code = CHOICE("readlink fails", ENOENT, EINVAL);
  if (code != 0)
    return fail(code);
  size_t length = at_least_one(__blitz_input_size("readlink length"));
  __blitz_assume(length <= 4095 && length <= n);
  __blitz_check_write(buf, length);
  __blitz_input_bytes(buf, length, "readlink");
  __blitz_assume(__blitz_scan(buf, 0, length) == length);
  return (long)length;
}

/* An absolute path of any length that the system allows. */
long __blitz_getcwd(char *buf, size_t n) {
  size_t length = at_least_one(__blitz_input_size("getcwd length"));
  __blitz_assume(length < n && length <= 4095);
  __blitz_input_bytes(buf, length, "getcwd");
  buf[0] = '/';
  buf[length] = 0;
  __blitz_assume(__blitz_scan(buf, 0, length) == length);
  return (long)length;
}

int __blitz_access(const char *path, int mode) {
  if (__blitz_check_path(path) != 0)
    return -1;
  int code = CHOICE("access fails", ENOENT, EACCES);
  return code == 0 ? 0 : fail(code);
}

int __blitz_list(const char *path, void **state, char *name) {
  if (__blitz_input_bool("directory ends"))
    return 0;
  size_t n = at_least_one(__blitz_input_size("directory entry length"));
  __blitz_assume(n <= 255);
  __blitz_input_bytes(name, n, "directory entry");
  name[n] = 0;
  __blitz_assume(__blitz_scan(name, 0, n) == n && __blitz_scan(name, '/', n) == n);
  return 1;
}

void __blitz_list_end(void *state) {}

const char *__blitz_directory(int fd) { return "."; }
