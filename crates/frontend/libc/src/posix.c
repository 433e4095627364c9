/* <unistd.h>, <fcntl.h>, <sys/stat.h>: files, on top of what the variant gives.
 *
 * The *64 and *at names are here too.
 * direction: exact, but that nothing fails which has no input for it */
#define _GNU_SOURCE
#include "posix.h"
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

/* Opening, under all names. */

int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

static mode_t mode_of(int flags, va_list args) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0; }

#define OPEN_WITH_MODE(call)                                                                                           \
  va_list args;                                                                                                        \
  va_start(args, flags);                                                                                               \
  mode_t mode = mode_of(flags, args);                                                                                  \
  va_end(args);                                                                                                        \
  return call

int open64(const char *path, int flags, ...) { OPEN_WITH_MODE(open(path, flags, mode)); }
int __open(const char *path, int flags, ...) { OPEN_WITH_MODE(open(path, flags, mode)); }
int __open64_2(const char *path, int flags) { return open(path, flags); }
int __open_2(const char *path, int flags) { return open(path, flags); }

/* A path relative to the directory of a descriptor, written out; in the modelled environment names don't matter. */
static const char *resolve(int dir, const char *path, char out[PATH_MAX]) {
  __blitz_check_string(path);
  if (__blitz_model || dir == AT_FDCWD || path[0] == '/')
    return path;
  const char *base = __blitz_directory(dir);
  if (base == NULL)
    __blitz_unsupported("a path relative to a descriptor that was not opened with O_DIRECTORY");
  snprintf(out, PATH_MAX, "%s/%s", base, path);
  return out;
}
#define AT(dir, path) resolve(dir, path, (char[PATH_MAX]){0})

int openat(int dir, const char *path, int flags, ...) { OPEN_WITH_MODE(open(AT(dir, path), flags, mode)); }
int openat64(int dir, const char *path, int flags, ...) { OPEN_WITH_MODE(open(AT(dir, path), flags, mode)); }

off64_t lseek64(int fd, off64_t offset, int whence) { return lseek(fd, offset, whence); }
off_t __lseek(int fd, off_t offset, int whence) { return lseek(fd, offset, whence); }
ssize_t __read(int fd, void *p, size_t n) { return read(fd, p, n); }
ssize_t __write(int fd, const void *p, size_t n) { return write(fd, p, n); }
int __close(int fd) { return close(fd); }
ssize_t __read_chk(int fd, void *p, size_t n, size_t room) { return read(fd, p, n); }

ssize_t pread(int fd, void *p, size_t n, off_t at) {
  off_t before = lseek(fd, 0, SEEK_CUR);
  if (before < 0 || lseek(fd, at, SEEK_SET) < 0)
    return -1;
  ssize_t got = read(fd, p, n);
  lseek(fd, before, SEEK_SET);
  return got;
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at) { return pread(fd, p, n, at); }

ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
  off_t before = lseek(fd, 0, SEEK_CUR);
  if (before < 0 || lseek(fd, at, SEEK_SET) < 0)
    return -1;
  ssize_t put = write(fd, p, n);
  lseek(fd, before, SEEK_SET);
  return put;
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) { return pwrite(fd, p, n, at); }

ssize_t readv(int fd, const struct iovec *parts, int count) {
  ssize_t total = 0;
  for (int i = 0; i < count; i++) {
    CUT(i, 16, "more than 16 pieces of a read or write");
    ssize_t got = read(fd, parts[i].iov_base, parts[i].iov_len);
    if (got < 0)
      return total > 0 ? total : -1;
    total += got;
    if ((size_t)got < parts[i].iov_len)
      break;
  }
  return total;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t total = 0;
  for (int i = 0; i < count; i++) {
    CUT(i, 16, "more than 16 pieces of a read or write");
    ssize_t put = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (put < 0)
      return total > 0 ? total : -1;
    total += put;
  }
  return total;
}

/* stat, under all names. */

static int give(int result, const struct blitz_stat *from, struct stat *to) {
  if (result < 0)
    return -1;
  memset(to, 0, sizeof *to);
  to->st_dev = from->dev;
  to->st_ino = (ino_t)from->ino;
  to->st_mode = from->mode;
  to->st_nlink = (nlink_t)from->nlink;
  to->st_uid = from->uid;
  to->st_gid = from->gid;
  to->st_rdev = from->rdev;
  to->st_size = (off_t)from->size;
  to->st_blksize = (blksize_t)from->blksize;
  to->st_blocks = (blkcnt_t)from->blocks;
  to->st_atim = (struct timespec){(time_t)from->atime, (long)from->atime_nsec};
  to->st_mtim = (struct timespec){(time_t)from->mtime, (long)from->mtime_nsec};
  to->st_ctim = (struct timespec){(time_t)from->ctime, (long)from->ctime_nsec};
  return 0;
}

static int give64(int result, const struct blitz_stat *from, struct stat64 *to) {
  if (result < 0)
    return -1;
  memset(to, 0, sizeof *to);
  to->st_dev = from->dev;
  to->st_ino = from->ino;
  to->st_mode = from->mode;
  to->st_nlink = (nlink_t)from->nlink;
  to->st_uid = from->uid;
  to->st_gid = from->gid;
  to->st_rdev = from->rdev;
  to->st_size = from->size;
  to->st_blksize = (blksize_t)from->blksize;
  to->st_blocks = from->blocks;
  to->st_atim = (struct timespec){(time_t)from->atime, (long)from->atime_nsec};
  to->st_mtim = (struct timespec){(time_t)from->mtime, (long)from->mtime_nsec};
  to->st_ctim = (struct timespec){(time_t)from->ctime, (long)from->ctime_nsec};
  return 0;
}

#define STAT(give, call)                                                                                               \
  struct blitz_stat facts;                                                                                             \
  return give(call, &facts, out)

int stat(const char *restrict path, struct stat *restrict out) { STAT(give, __blitz_stat(path, &facts, 1)); }
int lstat(const char *restrict path, struct stat *restrict out) { STAT(give, __blitz_stat(path, &facts, 0)); }
int fstat(int fd, struct stat *out) { STAT(give, __blitz_fstat(fd, &facts)); }
int stat64(const char *restrict path, struct stat64 *restrict out) { STAT(give64, __blitz_stat(path, &facts, 1)); }
int lstat64(const char *restrict path, struct stat64 *restrict out) { STAT(give64, __blitz_stat(path, &facts, 0)); }
int fstat64(int fd, struct stat64 *out) { STAT(give64, __blitz_fstat(fd, &facts)); }
int __xstat(int version, const char *path, struct stat *out) { return stat(path, out); }
int __lxstat(int version, const char *path, struct stat *out) { return lstat(path, out); }
int __fxstat(int version, int fd, struct stat *out) { return fstat(fd, out); }
int __xstat64(int version, const char *path, struct stat64 *out) { return stat64(path, out); }
int __lxstat64(int version, const char *path, struct stat64 *out) { return lstat64(path, out); }
int __fxstat64(int version, int fd, struct stat64 *out) { return fstat64(fd, out); }

int fstatat(int dir, const char *restrict path, struct stat *restrict out, int flags) {
  if (flags & AT_EMPTY_PATH && *path == 0)
    return fstat(dir, out);
  path = AT(dir, path);
  return flags & AT_SYMLINK_NOFOLLOW ? lstat(path, out) : stat(path, out);
}
int fstatat64(int dir, const char *restrict path, struct stat64 *restrict out, int flags) {
  if (flags & AT_EMPTY_PATH && *path == 0)
    return fstat64(dir, out);
  path = AT(dir, path);
  return flags & AT_SYMLINK_NOFOLLOW ? lstat64(path, out) : stat64(path, out);
}
int __fxstatat(int version, int dir, const char *path, struct stat *out, int flags) { return fstatat(dir, path, out, flags); }
int __fxstatat64(int version, int dir, const char *path, struct stat64 *out, int flags) {
  return fstatat64(dir, path, out, flags);
}

/* Changes of the file system. */

int unlink(const char *path) { return __blitz_change(CHANGE_UNLINK, path, NULL, 0); }
int unlinkat(int dir, const char *path, int flags) {
  path = AT(dir, path);
  return flags & AT_REMOVEDIR ? rmdir(path) : unlink(path);
}
int rename(const char *from, const char *to) { return __blitz_change(CHANGE_RENAME, from, to, 0); }
int renameat(int dir, const char *from, int to_dir, const char *to) {
  return rename(AT(dir, from), AT(to_dir, to));
}
int mkdir(const char *path, mode_t mode) { return __blitz_change(CHANGE_MKDIR, path, NULL, (long)mode); }
int mkdirat(int dir, const char *path, mode_t mode) {
  path = AT(dir, path);
  return mkdir(path, mode);
}
int rmdir(const char *path) { return __blitz_change(CHANGE_RMDIR, path, NULL, 0); }
int chdir(const char *path) { return __blitz_change(CHANGE_CHDIR, path, NULL, 0); }
int fchdir(int fd) { return __blitz_fd_change(CHANGE_CHDIR, fd, 0); }
int chroot(const char *path) {
  __blitz_check_string(path);
  return fail(EPERM);
}
int link(const char *from, const char *to) { return __blitz_change(CHANGE_LINK, from, to, 0); }
int linkat(int dir, const char *from, int to_dir, const char *to, int flags) {
  return link(AT(dir, from), AT(to_dir, to));
}
int symlink(const char *from, const char *to) { return __blitz_change(CHANGE_SYMLINK, from, to, 0); }
int chmod(const char *path, mode_t mode) { return __blitz_change(CHANGE_CHMOD, path, NULL, (long)mode); }
int fchmod(int fd, mode_t mode) { return __blitz_fd_change(CHANGE_CHMOD, fd, mode); }
int fchmodat(int dir, const char *path, mode_t mode, int flags) {
  path = AT(dir, path);
  return chmod(path, mode);
}
int chown(const char *path, uid_t user, gid_t group) { return __blitz_change(CHANGE_CHOWN, path, NULL, (long)user); }
int lchown(const char *path, uid_t user, gid_t group) { return __blitz_change(CHANGE_CHOWN, path, NULL, (long)user); }
int fchown(int fd, uid_t user, gid_t group) { return __blitz_fd_change(CHANGE_CHOWN, fd, user); }
int fchownat(int dir, const char *path, uid_t user, gid_t group, int flags) {
  path = AT(dir, path);
  return chown(path, user, group);
}
int utime(const char *path, const struct utimbuf *times) { return __blitz_change(CHANGE_UTIME, path, NULL, 0); }
int utimes(const char *path, const struct timeval times[2]) { return __blitz_change(CHANGE_UTIME, path, NULL, 0); }
int lutimes(const char *path, const struct timeval times[2]) { return __blitz_change(CHANGE_UTIME, path, NULL, 0); }
int futimes(int fd, const struct timeval times[2]) { return __blitz_fd_change(CHANGE_UTIME, fd, 0); }
int futimens(int fd, const struct timespec times[2]) { return __blitz_fd_change(CHANGE_UTIME, fd, 0); }
int utimensat(int dir, const char *path, const struct timespec times[2], int flags) {
  path = AT(dir, path);
  return __blitz_change(CHANGE_UTIME, path, NULL, 0);
}
int futimesat(int dir, const char *path, const struct timeval times[2]) { return utimensat(dir, path, NULL, 0); }
int truncate(const char *path, off_t size) { return __blitz_change(CHANGE_TRUNCATE, path, NULL, (long)size); }
int ftruncate(int fd, off_t size) { return __blitz_fd_change(CHANGE_TRUNCATE, fd, size); }
int truncate64(const char *path, off64_t size) { return __blitz_change(CHANGE_TRUNCATE, path, NULL, (long)size); }
int ftruncate64(int fd, off64_t size) { return __blitz_fd_change(CHANGE_TRUNCATE, fd, size); }
int mkfifo(const char *path, mode_t mode) { return __blitz_change(CHANGE_MKNOD, path, NULL, (long)mode); }
int mknod(const char *path, mode_t mode, dev_t dev) { return __blitz_change(CHANGE_MKNOD, path, NULL, (long)mode); }
int __xmknod(int version, const char *path, mode_t mode, dev_t *dev) { return mkfifo(path, mode); }

int remove(const char *path) {
  if (unlink(path) == 0)
    return 0;
  return errno == EISDIR ? rmdir(path) : -1;
}

static mode_t current_mask = 022;

mode_t umask(mode_t mask) {
  mode_t before = current_mask;
  current_mask = mask & 0777;
  return before;
}

/* Questions. */

int access(const char *path, int mode) { return __blitz_access(path, mode); }
int euidaccess(const char *path, int mode) { return __blitz_access(path, mode); }
int eaccess(const char *path, int mode) { return __blitz_access(path, mode); }
int faccessat(int dir, const char *path, int mode, int flags) {
  path = AT(dir, path);
  return __blitz_access(path, mode);
}
ssize_t readlink(const char *restrict path, char *restrict buf, size_t n) { return __blitz_readlink(path, buf, n); }
ssize_t readlinkat(int dir, const char *restrict path, char *restrict buf, size_t n) {
  path = AT(dir, path);
  return __blitz_readlink(path, buf, n);
}

char *getcwd(char *buf, size_t n) {
  char text[PATH_MAX];
  long length = __blitz_getcwd(text, sizeof text);
  if (length < 0)
    return NULL;
  size_t size = (size_t)length + 1;
  if (buf == NULL) {
    buf = malloc(n != 0 ? n : size);
    if (buf == NULL)
      return NULL;
    if (n == 0)
      n = size;
  }
  if (size > n) {
    errno = n == 0 ? EINVAL : ERANGE;
    return NULL;
  }
  memcpy(buf, text, size);
  return buf;
}

char *get_current_dir_name(void) { return getcwd(NULL, 0); }
char *getwd(char *buf) { return getcwd(buf, PATH_MAX); }

/* Nothing waits anywhere, and nobody else is there. */

int fsync(int fd) { return 0; }
int fdatasync(int fd) { return 0; }
void sync(void) {}
int syncfs(int fd) { return 0; }
int posix_fadvise(int fd, off_t at, off_t n, int advice) { return 0; }
int posix_fadvise64(int fd, off64_t at, off64_t n, int advice) { return 0; }
/* The file has that many bytes then; the result is the error. */
int posix_fallocate64(int fd, off64_t at, off64_t n) {
  struct blitz_stat now;
  int before = errno;
  if (at < 0 || n <= 0)
    return EINVAL;
  int failed = __blitz_fstat(fd, &now) < 0 || (now.size < at + n && __blitz_fd_change(CHANGE_TRUNCATE, fd, at + n) < 0);
  int code = errno;
  errno = before;
  return failed ? code : 0;
}
int posix_fallocate(int fd, off_t at, off_t n) { return posix_fallocate64(fd, at, n); }
int flock(int fd, int operation) { return 0; }
int lockf(int fd, int command, off_t n) { return 0; }
int lockf64(int fd, int command, off64_t n) { return 0; }
