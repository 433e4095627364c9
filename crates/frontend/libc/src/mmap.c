/* <sys/mman.h>: mappings are heap objects that are filled from the file; changes do not go back to it.
 * direction: exact, but for what is said below */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads n bytes at an offset of a file, as far as they are there. */
static void load(int fd, char *p, size_t n, off_t at) {
  off_t before = lseek(fd, 0, SEEK_CUR);
  lseek(fd, at, SEEK_SET);
  for (size_t done = 0; done < n;) {
    ssize_t got = read(fd, p + done, n - done);
    if (got <= 0)
      break;
    done += (size_t)got;
  }
  lseek(fd, before, SEEK_SET);
}

void *mmap(void *hint, size_t n, int protection, int flags, int fd, off_t at) {
  if (n == 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if (!(protection & PROT_WRITE) || !(protection & PROT_READ))
    __blitz_fewer("mmap: accesses that the protection forbids are not noticed");
  if ((flags & MAP_TYPE) == MAP_SHARED && protection & PROT_WRITE && !(flags & MAP_ANONYMOUS))
    __blitz_unsupported("a shared writable mapping of a file");
  char *p = malloc(n);
  if (p == NULL)
    return MAP_FAILED;
  __blitz_keep_alive(p);
  memset(p, 0, n);
  if (!(flags & MAP_ANONYMOUS))
    load(fd, p, n, at);
  return p;
}

void *mmap64(void *hint, size_t n, int protection, int flags, int fd, off64_t at) {
  return mmap(hint, n, protection, flags, fd, (off_t)at);
}

int munmap(void *p, size_t n) {
  if (__blitz_offset(p) == 0 && n >= __blitz_object_size(p))
    __blitz_heap_free(p);
  return 0;
}

void *mremap(void *old, size_t had, size_t n, int flags, ...) {
  void *p = realloc(old, n);
  if (p == NULL)
    return MAP_FAILED;
  __blitz_keep_alive(p);
  if (n > had)
    memset((char *)p + had, 0, n - had);
  return p;
}

/* direction: fewer, accesses that it forbids are not noticed */
int mprotect(void *p, size_t n, int protection) {
  if (!(protection & PROT_WRITE) || !(protection & PROT_READ))
    __blitz_fewer("mprotect: accesses that the protection forbids are not noticed");
  return 0;
}
int msync(void *p, size_t n, int flags) { return 0; }
int madvise(void *p, size_t n, int advice) { return 0; }
int posix_madvise(void *p, size_t n, int advice) { return 0; }
int mlock(const void *p, size_t n) { return 0; }
int munlock(const void *p, size_t n) { return 0; }
int mlockall(int flags) { return 0; }
int munlockall(void) { return 0; }
