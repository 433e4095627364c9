/* Supplies a program with the inputs of one run, so that what blitz found happens in the real program too.
 *
 * Part of a reproduction kit. inputs.h holds the data; the linker sends the program's calls of the functions named
 * there to the wrappers below (--wrap). A wrapper knows the inputs of its n-th call by the program; where there are none
 * it does what the C library does. Calls inside the C library are not touched. */
#define _GNU_SOURCE
#include "inputs.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

enum { LEFT_ASSUMPTIONS = 97 };

/* In a build of the user's own, what runs before `main` may be gcov: it is not the program, and its calls do not count. */
#ifdef FROM_MAIN
static unsigned has_begun;
#define BEGIN has_begun = 1;
#else
enum { has_begun = 1 };
#define BEGIN
#endif

/* Inputs the program asks for by itself: by name, in order. A fuzzed program has its own supply of them, and its own `main`. */

#ifdef BLITZ_FUZZ
void blitz_take(const char *name, void *to, size_t n);
#else
static unsigned char taken[sizeof blitz_direct / sizeof *blitz_direct];
static size_t first_left;

void blitz_take(const char *name, void *to, size_t n) {
  memset(to, 0, n);
  while (blitz_direct[first_left].name && taken[first_left])
    first_left++;
  for (size_t i = first_left; blitz_direct[i].name; i++)
    if (!taken[i] && strcmp(blitz_direct[i].name, name) == 0) {
      taken[i] = 1;
      memcpy(to, blitz_direct[i].bytes, n < blitz_direct[i].size ? n : blitz_direct[i].size);
      return;
    }
}
#endif

/* What harnesses call. Weak: the program may have its own. */
#define WEAK __attribute__((weak))

/* Of schedule.c, where threads go as a schedule says. */
WEAK void __blitz_kit_point(void);
WEAK void __blitz_kit_atomic(int change);

WEAK void __VERIFIER_assume(int holds) {
  if (__blitz_kit_point)
    __blitz_kit_point();
  if (!holds) {
    fputs("blitz-kit: the run has left what is assumed\n", stderr);
    _exit(LEFT_ASSUMPTIONS);
  }
}
WEAK void __CPROVER_assume(int holds) { __VERIFIER_assume(holds); }
WEAK void __ESBMC_assume(_Bool holds) { __VERIFIER_assume(holds); }
WEAK void __blitz_assume(int holds) { __VERIFIER_assume(holds); }
WEAK void klee_assume(unsigned long holds) { __VERIFIER_assume(holds != 0); }

static void failed(const char *what) {
  fprintf(stderr, "blitz-kit: assertion failed: %s\n", what);
  abort();
}
WEAK void __VERIFIER_assert(int holds) {
  if (!holds)
    failed("__VERIFIER_assert");
}
WEAK void __CPROVER_assert(int holds, const char *what) {
  if (!holds)
    failed(what);
}
WEAK void __ESBMC_assert(_Bool holds, const char *what) {
  if (!holds)
    failed(what);
}
WEAK void __CPROVER_precondition(int holds, const char *what) { __CPROVER_assert(holds, what); }
WEAK void __CPROVER_postcondition(int holds, const char *what) { __CPROVER_assert(holds, what); }
/* Where no header makes it a macro. */
WEAK void assert(_Bool holds) {
  if (!holds)
    failed("assert");
}
WEAK void klee_assert(int holds) {
  if (!holds)
    failed("klee_assert");
}
WEAK void __blitz_check(int holds, const char *kind, const char *what) {
  if (!holds)
    failed(what);
}
WEAK void reach_error(void) { failed("reach_error is reached"); }
WEAK void __VERIFIER_error(void) { failed("__VERIFIER_error is reached"); }
WEAK void __VERIFIER_atomic_begin(void) {
  if (__blitz_kit_atomic)
    __blitz_kit_atomic(1);
}
WEAK void __VERIFIER_atomic_end(void) {
  if (__blitz_kit_atomic)
    __blitz_kit_atomic(-1);
}
WEAK void __VERIFIER_nondet_memory(void *p, size_t n) { blitz_take("__VERIFIER_nondet_memory", p, n); }
WEAK void klee_make_symbolic(void *p, size_t n, const char *name) { blitz_take(name, p, n); }
WEAK void __blitz_input_bytes(void *p, size_t n, const char *name) { blitz_take(name, p, n); }
WEAK int klee_range(int begin, int end, const char *name) {
  int value;
  blitz_take(name, &value, sizeof value);
  return value;
}
WEAK int klee_int(const char *name) { return klee_range(0, 0, name); }
#define INPUT(type, suffix)                                                                                            \
  WEAK type __blitz_input_##suffix(const char *name) {                                                                 \
    type value;                                                                                                        \
    blitz_take(name, &value, sizeof value);                                                                            \
    return value;                                                                                                      \
  }
INPUT(_Bool, bool)
INPUT(char, char)
INPUT(short, short)
INPUT(int, int)
INPUT(long, long)
INPUT(long long, llong)
INPUT(size_t, size)
INPUT(unsigned char, u8)
INPUT(unsigned short, u16)
INPUT(unsigned, u32)
INPUT(unsigned long long, u64)
INPUT(float, float)
INPUT(double, double)

/* Inputs of library calls: by function, number of the call, and name; `index` counts those of one name in a call. */

static const struct blitz_input *find(const char *function, unsigned call, const char *name, unsigned index) {
  for (size_t i = 0; blitz_calls[i].function; i++)
    if (blitz_calls[i].call == call && strcmp(blitz_calls[i].function, function) == 0 &&
        strcmp(blitz_calls[i].input.name, name) == 0 && index-- == 0)
      return &blitz_calls[i].input;
  return NULL;
}

/* A number; 0 where there is none. */
static long long number(const char *function, unsigned call, const char *name) {
  long long value = 0;
  const struct blitz_input *input = find(function, call, name, 0);
  if (input)
    memcpy(&value, input->bytes, input->size < sizeof value ? input->size : sizeof value);
  if (input && input->size == 4)
    value = (int)value;
  return value;
}

/* Whether one of the allocations that the call made was to fail. */
static int allocation_fails(const char *function, unsigned call) {
  const struct blitz_input *input;
  for (unsigned i = 0; (input = find(function, call, "allocation fails", i)) != NULL; i++)
    if (input->bytes[0])
      return errno = ENOMEM, 1;
  return 0;
}

/* -1 with the error the input of this name chooses among three, or 0. */
static int choice(const char *function, unsigned call, const char *name, int first, int second, int third) {
  int chosen = (int)number(function, call, name);
  if (chosen == 0)
    return 0;
  errno = chosen == 1 ? first : chosen == 2 ? second : third;
  return -1;
}

/* As the models: names that no file has are refused. */
__attribute__((unused)) static int no_file(const char *path) {
  if (path == NULL || (*path && strnlen(path, PATH_MAX) < PATH_MAX))
    return 0;
  errno = *path ? ENAMETOOLONG : ENOENT;
  return 1;
}

/* The allocator itself, past our wrapper. */
#ifdef WRAP_malloc
void *__real_malloc(size_t n);
#define FRESH __real_malloc
#else
#define FRESH malloc
#endif

/* Arguments and variables of the environment get exactly as much memory as they need, so that a sanitizer sees reads past their end; on the
 * stack, where the system puts them too: whoever frees one makes a mistake. They stay, since `main` is left by `exit`. */
#define EXACT_COPIES(texts)                                                                                            \
  for (size_t i = 0; (texts)[i]; i++) {                                                                                \
    size_t size = strlen((texts)[i]) + 1;                                                                              \
    (texts)[i] = memcpy(__builtin_alloca(size), (texts)[i], size);                                                     \
  }

/* What calls that have returned left on the stack is no pointer of the program's: LeakSanitizer would take it for one. */
__attribute__((noinline, no_sanitize("address"))) static void forget_calls(void) {
  volatile char left[1 << 16];
  for (size_t i = 0; i < sizeof left; i++)
    left[i] = 0;
}

#ifndef BLITZ_FUZZ
/* Harnesses make their objects with it. */
WEAK void *__blitz_heap_alloc(size_t n) { return FRESH(n); }
#ifdef UNIT_TEST
int __blitz_entry(void);
void __blitz_run_constructors(void) {}
#else
int __real_main(int argc, char **argv, char **envp);
#endif

int __wrap_main(int argc, char **argv, char **envp) {
  EXACT_COPIES(envp)
  BEGIN
#ifdef UNIT_TEST
  int status = __blitz_entry();
#else
  EXACT_COPIES(argv)
  int status = __real_main(argc, argv, envp);
#endif
  forget_calls();
  exit(status);
}
#endif

/* A function that nobody defines is answered for; the run says so. */
void blitz_stub(const char *function) {
  static const char *said[64];
  size_t i = 0;
  while (i < 64 && said[i] && strcmp(said[i], function) != 0)
    i++;
  if (i == 64 || said[i])
    return;
  said[i] = function;
  fprintf(stderr, "blitz-kit: stub of %s\n", function);
}

#define COUNT static unsigned calls; calls += has_begun

/* Allocation. `names` and `types` are the parameters of the function. */
#define ALLOCATION(type, function, failure, types, names)                                                              \
  type __real_##function types;                                                                                        \
  type __wrap_##function types {                                                                                       \
    COUNT;                                                                                                             \
    if (allocation_fails(#function, calls))                                                                            \
      return failure;                                                                                                  \
    return __real_##function names;                                                                                    \
  }
#ifdef WRAP_malloc
ALLOCATION(void *, malloc, NULL, (size_t n), (n))
#endif
#ifdef WRAP_calloc
ALLOCATION(void *, calloc, NULL, (size_t count, size_t n), (count, n))
#endif
#ifdef WRAP_realloc
ALLOCATION(void *, realloc, NULL, (void *old, size_t n), (old, n))
#endif
#ifdef WRAP_reallocarray
ALLOCATION(void *, reallocarray, NULL, (void *old, size_t count, size_t n), (old, count, n))
#endif
#ifdef WRAP_memalign
ALLOCATION(void *, memalign, NULL, (size_t align, size_t n), (align, n))
#endif
#ifdef WRAP_aligned_alloc
ALLOCATION(void *, aligned_alloc, NULL, (size_t align, size_t n), (align, n))
#endif
#ifdef WRAP_valloc
ALLOCATION(void *, valloc, NULL, (size_t n), (n))
#endif
#ifdef WRAP_posix_memalign
ALLOCATION(int, posix_memalign, ENOMEM, (void **out, size_t align, size_t n), (out, align, n))
#endif
#ifdef WRAP_strdup
ALLOCATION(char *, strdup, NULL, (const char *text), (text))
#endif
#ifdef WRAP___strdup
ALLOCATION(char *, __strdup, NULL, (const char *text), (text))
#endif
#ifdef WRAP_strndup
ALLOCATION(char *, strndup, NULL, (const char *text, size_t n), (text, n))
#endif
#ifdef WRAP_wcsdup
ALLOCATION(wchar_t *, wcsdup, NULL, (const wchar_t *text), (text))
#endif
#ifdef WRAP_getline
ALLOCATION(ssize_t, getline, -1, (char **line, size_t *room, FILE *from), (line, room, from))
#endif
#ifdef WRAP_getdelim
ALLOCATION(ssize_t, getdelim, -1, (char **line, size_t *room, int end, FILE *from), (line, room, end, from))
#endif
#ifdef WRAP_fmemopen
ALLOCATION(FILE *, fmemopen, NULL, (void *p, size_t n, const char *mode), (p, n, mode))
#endif
#ifdef WRAP_vasprintf
ALLOCATION(int, vasprintf, -1, (char **out, const char *format, va_list args), (out, format, args))
#endif
#ifdef WRAP_asprintf
int __wrap_asprintf(char **out, const char *format, ...) {
  COUNT;
  if (allocation_fails("asprintf", calls))
    return -1;
  va_list args;
  va_start(args, format);
  int n = vasprintf(out, format, args);
  va_end(args);
  return n;
}
#endif

/* Clocks. */
#if defined WRAP_time || defined WRAP_gettimeofday || defined WRAP_clock_gettime || defined WRAP_clock || defined WRAP_timespec_get
/* A clock that would go backwards stands still, as in the model. */
static struct timespec now(const char *function, unsigned call) {
  static struct timespec last;
  struct timespec t = {(time_t)number(function, call, "time"), (long)number(function, call, "time nanoseconds")};
  if (t.tv_sec > last.tv_sec || (t.tv_sec == last.tv_sec && t.tv_nsec > last.tv_nsec))
    last = t;
  return last;
}
#endif
/* Who the process is: what the call that asked first was told, from then on. */
#define WHO(name, type, input)                                                                                         \
  type __real_##name(void);                                                                                            \
  type __wrap_##name(void) {                                                                                           \
    static int known;                                                                                                  \
    static type value;                                                                                                 \
    COUNT;                                                                                                             \
    if (find(#name, calls, input, 0)) {                                                                                \
      value = (type)number(#name, calls, input);                                                                       \
      known = 1;                                                                                                       \
    }                                                                                                                  \
    return known ? value : __real_##name();                                                                            \
  }
#ifdef WRAP_getuid
WHO(getuid, uid_t, "uid")
#endif
#ifdef WRAP_geteuid
WHO(geteuid, uid_t, "euid")
#endif
#ifdef WRAP_getgid
WHO(getgid, gid_t, "gid")
#endif
#ifdef WRAP_getegid
WHO(getegid, gid_t, "egid")
#endif
#ifdef WRAP_getpid
WHO(getpid, pid_t, "pid")
#endif
#ifdef WRAP_getppid
WHO(getppid, pid_t, "parent pid")
#endif
#ifdef WRAP_setlocale
char *__real_setlocale(int category, const char *name);
char *__wrap_setlocale(int category, const char *name) {
  COUNT;
  if (name == NULL || !find("setlocale", calls, "locale", 0))
    return __real_setlocale(category, name);
  int choice = (int)number("setlocale", calls, "locale") & 255;
  if (choice == (*name ? 0 : 3))
    return NULL;
  if (choice == 0)
    return __real_setlocale(category, "C");
  char *found = *name ? __real_setlocale(category, name) : NULL;
  return found ? found : __real_setlocale(category, "C.UTF-8");
}
#endif
#ifdef WRAP_time
time_t __wrap_time(time_t *out) {
  COUNT;
  time_t seconds = now("time", calls).tv_sec;
  return out ? *out = seconds : seconds;
}
#endif
#ifdef WRAP_clock_gettime
int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  COUNT;
  *out = now("clock_gettime", calls);
  return 0;
}
#endif
#ifdef WRAP_gettimeofday
int __wrap_gettimeofday(struct timeval *out, void *zone) {
  COUNT;
  struct timespec t = now("gettimeofday", calls);
  *out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
  return 0;
}
#endif
#ifdef WRAP_clock
clock_t __wrap_clock(void) {
  COUNT;
  struct timespec t = now("clock", calls);
  return (clock_t)(t.tv_sec * 1000000LL + t.tv_nsec / 1000);
}
#endif

/* Random numbers. */
#ifdef WRAP_rand
int __real_rand(void);
int __wrap_rand(void) {
  COUNT;
  return find("rand", calls, "rand", 0) ? (int)number("rand", calls, "rand") : __real_rand();
}
#endif
#ifdef WRAP_random
long __real_random(void);
long __wrap_random(void) {
  COUNT;
  return find("random", calls, "rand", 0) ? (long)number("random", calls, "rand") : __real_random();
}
#endif
#if defined WRAP_getrandom || defined WRAP_getentropy
static void random_bytes(const char *function, unsigned call, void *p, size_t n) {
  const struct blitz_input *input = find(function, call, "random", 0);
  memset(p, 0, n);
  if (input)
    memcpy(p, input->bytes, input->size < n ? input->size : n);
}
#endif
#ifdef WRAP_getrandom
ssize_t __wrap_getrandom(void *p, size_t n, unsigned flags) {
  COUNT;
  random_bytes("getrandom", calls, p, n);
  return (ssize_t)n;
}
#endif
#ifdef WRAP_getentropy
int __wrap_getentropy(void *p, size_t n) {
  COUNT;
  random_bytes("getentropy", calls, p, n);
  return 0;
}
#endif

/* Files: each open for reading gets the contents of its own, under a name of ours. */
#ifdef OPENS
/* `open` itself may be wrapped here too. */
static int really_open(const char *name, int flags) { return (int)syscall(SYS_openat, AT_FDCWD, name, flags, 0600); }
/* The program has ended: who opens a file now is gcov, which writes what it has counted. */
static int is_over;
__attribute__((destructor)) static void end(void) { is_over = 1; }
static int open_input(const char *function, unsigned call, const char *path, int flags) {
  static int made;
  char name[32];
  if (no_file(path) || choice(function, call, "open fails", ENOENT, EACCES, EISDIR) < 0)
    return -1;
  snprintf(name, sizeof name, "blitz-file-%d", ++made);
  const struct blitz_input *contents = find(function, call, "file", 0);
  int fd = really_open(name, O_CREAT | O_TRUNC | O_RDWR);
  if (fd < 0 || (contents && write(fd, contents->bytes, contents->size) != (ssize_t)contents->size))
    abort();
  close(fd);
  return really_open(name, (flags & ~(O_EXCL | O_NOFOLLOW | O_DIRECTORY)) | O_CREAT);
}
static int mode_flags(const char *mode) {
  int both = strchr(mode, '+') != NULL;
  switch (mode[0]) {
  case 'r': return both ? O_RDWR : O_RDONLY;
  case 'w': return (both ? O_RDWR : O_WRONLY) | O_TRUNC;
  default: return (both ? O_RDWR : O_WRONLY) | O_APPEND;
  }
}
static FILE *open_stream(const char *function, unsigned call, const char *path, const char *mode) {
  int fd = open_input(function, call, path, mode_flags(mode));
  return fd < 0 ? NULL : fdopen(fd, mode);
}
#endif
#ifdef WRAP_open
int __wrap_open(const char *path, int flags, ...) {
  COUNT;
  if (is_over || !has_begun)
    return really_open(path, flags);
  return open_input("open", calls, path, flags);
}
#endif
#ifdef WRAP_open64
int __wrap_open64(const char *path, int flags, ...) {
  COUNT;
  if (is_over || !has_begun)
    return really_open(path, flags);
  return open_input("open64", calls, path, flags);
}
#endif
#ifdef WRAP_openat
int __wrap_openat(int at, const char *path, int flags, ...) {
  COUNT;
  return open_input("openat", calls, path, flags);
}
#endif
#ifdef WRAP_creat
int __wrap_creat(const char *path, mode_t mode) {
  COUNT;
  return open_input("creat", calls, path, O_WRONLY | O_TRUNC);
}
#endif
#ifdef WRAP_fopen
FILE *__wrap_fopen(const char *path, const char *mode) {
  COUNT;
  if (is_over || !has_begun) {
    int fd = really_open(path, mode_flags(mode) | (mode[0] == 'r' ? 0 : O_CREAT));
    return fd < 0 ? NULL : fdopen(fd, mode);
  }
  return open_stream("fopen", calls, path, mode);
}
#endif
#ifdef WRAP_fopen64
FILE *__wrap_fopen64(const char *path, const char *mode) {
  COUNT;
  if (is_over || !has_begun) {
    int fd = really_open(path, mode_flags(mode) | (mode[0] == 'r' ? 0 : O_CREAT));
    return fd < 0 ? NULL : fdopen(fd, mode);
  }
  return open_stream("fopen64", calls, path, mode);
}
#endif
#ifdef WRAP_freopen
FILE *__wrap_freopen(const char *path, const char *mode, FILE *old) {
  COUNT;
  int fd = open_input("freopen", calls, path, mode_flags(mode));
  if (fd < 0)
    return NULL;
  fflush(old);
  dup2(fd, fileno(old));
  close(fd);
  clearerr(old);
  return old;
}
#endif

/* Names of hosts: unknown, or one address. */
#ifdef WRAP_getaddrinfo
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
  COUNT;
  long long fails = number("getaddrinfo", calls, "getaddrinfo fails");
  if (fails != 0)
    return fails == 1 ? EAI_NONAME : EAI_AGAIN;
  struct {
    struct addrinfo info;
    struct sockaddr_in address;
  } *result = FRESH(sizeof *result);
  memset(result, 0, sizeof *result);
  result->address.sin_family = AF_INET;
  result->address.sin_addr.s_addr = (in_addr_t)number("getaddrinfo", calls, "peer address");
  result->address.sin_port = (in_port_t)number("getaddrinfo", calls, "peer port");
  result->info.ai_family = AF_INET;
  result->info.ai_socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM;
  result->info.ai_protocol = hints ? hints->ai_protocol : 0;
  result->info.ai_addrlen = sizeof result->address;
  result->info.ai_addr = (struct sockaddr *)&result->address;
  *out = &result->info;
  return 0;
}
#endif

/* Answers of the file system. */
#define CHANGE(function, types, refused)                                                                               \
  int __wrap_##function types {                                                                                        \
    COUNT;                                                                                                             \
    return refused ? -1 : choice(#function, calls, "file change fails", EACCES, ENOENT, EEXIST);                       \
  }
#ifdef WRAP_unlink
CHANGE(unlink, (const char *path), no_file(path))
#endif
#ifdef WRAP_remove
CHANGE(remove, (const char *path), no_file(path))
#endif
#ifdef WRAP_rename
CHANGE(rename, (const char *from, const char *to), no_file(from) || no_file(to))
#endif
#ifdef WRAP_mkdir
CHANGE(mkdir, (const char *path, mode_t mode), no_file(path))
#endif
#ifdef WRAP_rmdir
CHANGE(rmdir, (const char *path), no_file(path))
#endif
#ifdef WRAP_chdir
CHANGE(chdir, (const char *path), no_file(path))
#endif
#ifdef WRAP_link
CHANGE(link, (const char *from, const char *to), no_file(from) || no_file(to))
#endif
#ifdef WRAP_symlink
CHANGE(symlink, (const char *from, const char *to), no_file(from) || no_file(to))
#endif
#ifdef WRAP_chmod
CHANGE(chmod, (const char *path, mode_t mode), no_file(path))
#endif
#ifdef WRAP_chown
CHANGE(chown, (const char *path, uid_t user, gid_t group), no_file(path))
#endif
#ifdef WRAP_truncate
CHANGE(truncate, (const char *path, off_t size), no_file(path))
#endif
#ifdef WRAP_access
int __wrap_access(const char *path, int mode) {
  COUNT;
  return no_file(path) ? -1 : choice("access", calls, "access fails", ENOENT, EACCES, EACCES);
}
#endif
#ifdef STATS
static int fill_stat(const char *function, unsigned call, struct stat *out) {
  static const mode_t types[] = {S_IFREG, S_IFDIR, S_IFIFO, S_IFLNK};
  if (choice(function, call, "stat fails", ENOENT, EACCES, ENOTDIR) < 0)
    return -1;
  memset(out, 0, sizeof *out);
  out->st_dev = out->st_nlink = 1;
  out->st_uid = out->st_gid = 1000;
  out->st_ino = (ino_t)(unsigned)number(function, call, "st_ino");
  out->st_mode = types[number(function, call, "st_mode type") & 3] | (mode_t)number(function, call, "st_mode rights");
  out->st_size = (off_t)number(function, call, "st_size");
  out->st_blksize = 4096;
  out->st_blocks = (out->st_size + 511) / 512;
  out->st_atime = out->st_mtime = out->st_ctime = (time_t)(unsigned)number(function, call, "st_mtime");
  return 0;
}
#define STAT(function)                                                                                                 \
  int __wrap_##function(const char *path, struct stat *out) {                                                          \
    COUNT;                                                                                                             \
    return no_file(path) ? -1 : fill_stat(#function, calls, out);                                                      \
  }
#ifdef WRAP_stat
STAT(stat)
#endif
#ifdef WRAP_lstat
STAT(lstat)
#endif
#ifdef WRAP_stat64
STAT(stat64)
#endif
#ifdef WRAP_lstat64
STAT(lstat64)
#endif
#endif
#ifdef WRAP_readlink
ssize_t __wrap_readlink(const char *path, char *buf, size_t n) {
  COUNT;
  if (no_file(path) || choice("readlink", calls, "readlink fails", ENOENT, EINVAL, EINVAL) < 0)
    return -1;
  const struct blitz_input *text = find("readlink", calls, "readlink", 0);
  size_t length = text && text->size < n ? text->size : n;
  memcpy(buf, text ? text->bytes : "", text ? length : 0);
  return (ssize_t)length;
}
#endif
#ifdef WRAP_getcwd
char *__wrap_getcwd(char *buf, size_t n) {
  COUNT;
  const struct blitz_input *text = find("getcwd", calls, "getcwd", 0);
  size_t length = text ? text->size : 1;
  if (allocation_fails("getcwd", calls))
    return NULL;
  if (buf == NULL)
    buf = malloc(n ? n : length + 1);
  else if (length >= n) {
    errno = ERANGE;
    return NULL;
  }
  memcpy(buf, text ? text->bytes : "/", length);
  buf[length] = 0;
  return buf;
}
#endif
#ifdef WRAP_opendir
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path) {
  COUNT;
  if (no_file(path) || allocation_fails("opendir", calls))
    return NULL;
  if (choice("opendir", calls, "open fails", ENOENT, EACCES, EISDIR) < 0)
    return NULL;
  return __real_opendir(".");
}
#endif
#ifdef WRAP_readdir
struct dirent *__wrap_readdir(DIR *dir) {
  COUNT;
  static struct dirent entry;
  const struct blitz_input *name = find("readdir", calls, "directory entry", 0);
  if (name == NULL)
    return NULL;
  memset(&entry, 0, sizeof entry);
  memcpy(entry.d_name, name->bytes, name->size < 255 ? name->size : 255);
  return &entry;
}
#endif

/* Processes. */
#ifdef WRAP_fork
pid_t __wrap_fork(void) {
  COUNT;
  static int children;
  int result = (int)number("fork", calls, "fork");
  if (result < 0)
    return errno = EAGAIN, -1;
  return result == 0 ? 0 : 1000 + ++children;
}
#endif
#ifdef WRAP_system
int __wrap_system(const char *command) {
  COUNT;
  return command == NULL ? 1 : (unsigned short)number("system", calls, "exit status");
}
#endif
#ifdef WRAP_waitpid
pid_t __wrap_waitpid(pid_t pid, int *status, int options) {
  COUNT;
  const struct blitz_input *how = find("waitpid", calls, "exit status", 0);
  if (number("waitpid", calls, "child still runs"))
    return 0;
  if (how == NULL)
    return errno = ECHILD, -1;
  if (status)
    *status = (unsigned short)number("waitpid", calls, "exit status");
  return pid > 0 ? pid : 1001;
}
#endif

