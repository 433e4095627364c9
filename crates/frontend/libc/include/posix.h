/* What a variant of the environment gives to the POSIX functions in src/posix.c; each returns -1 and sets errno on
 * failure, as the function of the same purpose does. Paths are strings (checked), buffers are checked by the callee. */
#ifndef BLITZ_POSIX_H
#define BLITZ_POSIX_H

#include "libc.h"

int __blitz_fstat(int fd, struct blitz_stat *out);
int __blitz_stat(const char *path, struct blitz_stat *out, int follow);
/* A change of the file system that gives nothing back: chmod, link, mkdir, ... */
enum change {
  CHANGE_UNLINK, CHANGE_RENAME, CHANGE_MKDIR, CHANGE_RMDIR, CHANGE_CHDIR, CHANGE_LINK, CHANGE_SYMLINK, CHANGE_CHMOD,
  CHANGE_CHOWN, CHANGE_UTIME, CHANGE_TRUNCATE, CHANGE_MKNOD,
};
int __blitz_change(enum change what, const char *path, const char *other, long number);
int __blitz_fd_change(enum change what, int fd, long long number);
long __blitz_readlink(const char *path, char *buf, size_t n);
long __blitz_getcwd(char *buf, size_t n);
int __blitz_access(const char *path, int mode);
/* The path with which a directory's descriptor was opened, or null. */
const char *__blitz_directory(int fd);
/* The name of the next entry of a directory, into a buffer of 256 bytes: 1, or 0 at the end. `state` starts as null. */
int __blitz_list(const char *path, void **state, char *name);
void __blitz_list_end(void *state);

#endif
