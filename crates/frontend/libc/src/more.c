/* Functions that programs link against more often than they call them: fortified names, dynamic loading, character
 * sets, network interfaces, shared memory. Features of the machine are there or not, as an input.
 * direction: exact, but for what is said below */
#define _GNU_SOURCE
#include "libc.h"
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <grp.h>
#include <limits.h>
#include <malloc.h>
#include <netdb.h>
#include <sched.h>
#include <resolv.h>
#include <search.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <unistd.h>
#include <wchar.h>

/* What _FORTIFY_SOURCE calls. */
char *__fgets_chk(char *p, size_t room, int n, FILE *f) { return fgets(p, n, f); }
size_t __fread_chk(void *p, size_t room, size_t size, size_t count, FILE *f) { return fread(p, size, count, f); }
char *__realpath_chk(const char *path, char *out, size_t room) { return realpath(path, out); }
char *__getcwd_chk(char *buf, size_t n, size_t room) { return getcwd(buf, n); }
ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t room) { return readlink(path, buf, n); }
int __gethostname_chk(char *name, size_t n, size_t room) { return gethostname(name, n); }
void __explicit_bzero_chk(void *p, size_t n, size_t room) { memset(p, 0, n); }
long __fdelt_chk(long fd) {
  __blitz_check(fd >= 0 && fd < FD_SETSIZE, "buffer-overflow", "descriptor outside of the fd_set");
  return fd / NFDBITS;
}

/* Loading at run time fails, or is refused by name. */
void *dlopen(const char *file, int mode) {
  if (__blitz_model && !__blitz_input_bool("dlopen fails"))
    __blitz_unsupported("dlopen: a library that is there");
  return NULL;
}
void *dlsym(void *handle, const char *name) {
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT)
    __blitz_unsupported("dlsym");
  return NULL;
}
int dlclose(void *handle) { return 0; }
char *dlerror(void) { return "dynamic loading is not available"; }
int dladdr(const void *address, Dl_info *info) { __blitz_unsupported("dladdr"); }

/* direction: fewer, failures */
int prctl(int option, ...) {
  __blitz_fewer("prctl: what it does");
  return 0;
}
long syscall(long number, ...) { __blitz_unsupported("syscall"); }
int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *set) {
  memset(set, 0, n);
  *(unsigned char *)set = 1;
  return 0;
}
int sched_setaffinity(pid_t pid, size_t n, const cpu_set_t *set) { return 0; }
unsigned long getauxval(unsigned long type) { __blitz_unsupported("getauxval"); }
/* direction: fewer, what there is */
int backtrace(void **out, int n) {
  __blitz_fewer("backtrace: frames");
  return 0;
}
char **backtrace_symbols(void *const *addresses, int n) {
  __blitz_fewer("backtrace_symbols: an allocation that succeeds");
  return NULL;
}
const char *gnu_get_libc_version(void) { return "2.36"; }
/* Texts that the machine has for names; only the path is known. */
size_t confstr(int name, char *buf, size_t n) {
  static const char path[] = "/bin:/usr/bin";
  if (name != _CS_PATH)
    __blitz_unsupported("confstr of names other than _CS_PATH");
  if (n != 0) {
    strncpy(buf, path, n - 1);
    buf[n - 1] = 0;
  }
  return sizeof path;
}

/* Directories with 64-bit offsets. */
int alphasort64(const struct dirent64 **a, const struct dirent64 **b) { return strcmp((*a)->d_name, (*b)->d_name); }
#if __SIZEOF_LONG__ == 8
int scandir64(const char *restrict path, struct dirent64 ***restrict out, int (*wanted)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **)) {
  return scandir(path, (struct dirent ***)out, (int (*)(const struct dirent *))wanted,
                 (int (*)(const struct dirent **, const struct dirent **))compare);
}
#endif

/* Groups, for those with buffers of their own: the strings are shared. */
int getgrgid_r(gid_t id, struct group *restrict out, char *restrict buf, size_t n, struct group **restrict result) {
  struct group *found = getgrgid(id);
  *result = NULL;
  if (found != NULL) {
    *out = *found;
    *result = out;
  }
  return 0;
}
int getgrnam_r(const char *restrict name, struct group *restrict out, char *restrict buf, size_t n,
               struct group **restrict result) {
  struct group *found = getgrnam(name);
  *result = NULL;
  if (found != NULL) {
    *out = *found;
    *result = out;
  }
  return 0;
}
int getgrouplist(const char *user, gid_t group, gid_t *groups, int *n) {
  if (*n < 1) {
    *n = 1;
    return -1;
  }
  groups[0] = group;
  *n = 1;
  return 1;
}
void setservent(int stay) {}
void endservent(void) {}
struct servent *getservent(void) { return NULL; }
void sethostent(int stay) {}
void endhostent(void) {}
struct hostent *gethostent(void) { return NULL; }

/* Doubly linked lists whose elements begin with two pointers. */
struct link {
  struct link *next, *before;
};
void insque(void *element, void *after) {
  struct link *e = element, *a = after;
  e->before = a;
  e->next = a ? a->next : NULL;
  if (a != NULL) {
    if (a->next != NULL)
      a->next->before = e;
    a->next = e;
  }
}
void remque(void *element) {
  struct link *e = element;
  if (e->next != NULL)
    e->next->before = e->before;
  if (e->before != NULL)
    e->before->next = e->next;
}

/* Clocks that only root may change. */
int adjtimex(struct timex *t) { return fail(EPERM); }
int ntp_adjtime(struct timex *t) { return fail(EPERM); }
int clock_adjtime(clockid_t clock, struct timex *t) { return fail(EPERM); }

/* The resolver has no servers to ask. */
static struct __res_state resolver;
struct __res_state *__res_state(void) { return &resolver; }
int __res_init(void) { return 0; }
#undef res_init
int res_init(void) { return 0; }

/* Nothing is known of the allocator's insides. */
struct mallinfo mallinfo(void) { return (struct mallinfo){0}; }
struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0}; }
int malloc_info(int options, FILE *f) { return 0; }
