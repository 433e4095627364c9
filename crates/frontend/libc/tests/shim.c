/* The builtins of blitz.h on a real machine, so that the models can be run natively and compared with glibc.
 *
 * All symbols of the models carry the prefix our_ here (objcopy --prefix-symbols), so that both libraries live in one
 * program. Checks that fail end the program with a message. */
#define _GNU_SOURCE
#include "../include/blitz.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static int host_argc;
static char **host_argv;

#define OUR(name) our___blitz_##name

/* Sizes of heap objects, by address: open addressing. */
enum { SLOTS = 1 << 20 };
static struct { void *p; size_t n; } slots[SLOTS];
static const size_t UNKNOWN = (size_t)1 << 40;
static void *const GONE = (void *)1;

static size_t slot_of(const void *p) {
  size_t at = ((uintptr_t)p >> 4) * 2654435761u % SLOTS;
  while (slots[at].p != NULL && slots[at].p != p)
    at = (at + 1) % SLOTS;
  return at;
}

static void die(const char *what) {
  fprintf(stderr, "shim: %s\n", what);
  abort();
}

void *OUR(heap_alloc)(size_t n) {
  void *p = malloc(n ? n : 1);
  memset(p, 0xa5, n);
  size_t at = ((uintptr_t)p >> 4) * 2654435761u % SLOTS;
  while (slots[at].p != NULL && slots[at].p != GONE && slots[at].p != p)
    at = (at + 1) % SLOTS;
  slots[at].p = p;
  slots[at].n = n;
  return p;
}

void OUR(heap_free)(void *p) {
  if (p == NULL)
    return;
  size_t at = slot_of(p);
  if (slots[at].p != p)
    die("invalid free");
  slots[at].p = GONE;
  free(p);
}

size_t OUR(object_size)(const void *p) {
  size_t at = slot_of(p);
  return p != NULL && slots[at].p == p ? slots[at].n : UNKNOWN;
}

long OUR(offset)(const void *p) { return 0; }
size_t OUR(object_id)(const void *p) { return (size_t)p; }
int OUR(is_heap)(const void *p) { return 1; }
int OUR(is_live)(const void *p) { return 1; }
int OUR(readable)(const void *p, size_t n) { return 1; }
int OUR(writable)(const void *p, size_t n) { return 1; }
int OUR(narrow)(size_t value) { return 0; }
int OUR(open)(size_t value) { return 0; }
int OUR(alloc_fails)(void) { return 0; }
void OUR(keep_alive)(const void *p) {}
/* One thread. */
int OUR(has_threads)(void) { return 0; }
int OUR(thread_self)(void) { return 0; }
_Bool OUR(thread_done)(int thread) { return 0; }
_Bool OUR(resumed)(void) { return 0; }
void OUR(switch)(void) {}
void OUR(await)(_Bool cond, const char *text) {}
void OUR(acquire)(const void *sync) {}
void OUR(release)(const void *sync) {}
void OUR(check_read)(const void *p, size_t n) {
  if (n != 0 && p == NULL)
    die("null read");
}
void OUR(check_write)(void *p, size_t n) {
  if (n != 0 && p == NULL)
    die("null write");
}
void OUR(check_defined)(const void *p, size_t n) {}
void OUR(check_string)(const void *p) {
  if (p == NULL)
    die("null string");
}
void OUR(check)(int cond, const char *kind, const char *text) {
  if (!cond)
    die(text);
}
void OUR(assume)(int cond) {
  if (!cond)
    die("assumption");
}
void OUR(output)(int fd, const void *p, size_t n) {}
void OUR(unsupported)(const char *what) { die(what); }
void OUR(exit)(int status) { _exit(status); }
void OUR(halt)(int status) { _exit(status); }
void OUR(run_constructors)(void) {}
void OUR(run_destructors)(void) {}

size_t OUR(scan)(const void *p, int byte, size_t limit) {
  const unsigned char *s = p;
  size_t n = 0;
  while (n < limit && s[n] != (unsigned char)byte)
    n++;
  return n;
}

/* The texts compared lie in larger buffers. */
unsigned char OUR(peek)(const void *p, size_t i) { return ((const unsigned char *)p)[i]; }

unsigned long long OUR(choose)(int cond, unsigned long long a, unsigned long long b) { return cond ? a : b; }

size_t OUR(mismatch)(const void *p, const void *q, size_t limit) {
  const unsigned char *a = p, *b = q;
  size_t n = 0;
  while (n < limit && a[n] == b[n])
    n++;
  return n;
}

/* Inputs: none of the host's functions asks for one; guesses (in parentheses) are for what is open, and nothing is open here. */
static void no_input(const char *what) {
  if (what[0] != '(')
    die(what);
}
#define INPUT(type, name)                                                                                              \
  type OUR(input_##name)(const char *what) { no_input(what); return 0; }
INPUT(_Bool, bool)
INPUT(int, int)
INPUT(long, long)
INPUT(long long, llong)
INPUT(short, short)
INPUT(size_t, size)
INPUT(unsigned char, u8)
INPUT(unsigned short, u16)
INPUT(unsigned, u32)
INPUT(unsigned long long, u64)
INPUT(double, double)
void OUR(input_bytes)(void *p, size_t n, const char *what) { no_input(what); }
void OUR(fewer)(const char *what) {}
void OUR(more)(const char *what) {}

void *our_memcpy(void *d, const void *s, size_t n) { return memcpy(d, s, n); }
void *our_memmove(void *d, const void *s, size_t n) { return memmove(d, s, n); }
void *our_memset(void *d, int c, size_t n) { return memset(d, c, n); }

static long copy_list(char **list, int count, char *buf, size_t n) {
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    size_t size = strlen(list[i]) + 1;
    if (used + size > n)
      return -ERANGE;
    memcpy(buf + used, list[i], size);
    used += size;
  }
  return (long)used;
}

static long list_directory(const char *path, char *buf, size_t n) {
  DIR *dir = opendir(path);
  if (dir == NULL)
    return -errno;
  size_t used = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    size_t size = strlen(e->d_name) + 1;
    if (used + size > n)
      return -ERANGE;
    memcpy(buf + used, e->d_name, size);
    used += size;
  }
  closedir(dir);
  return (long)used;
}

static long format_float(char *buf, size_t n, const char *format, const void *value, long kind) {
  return kind ? snprintf(buf, n, format, *(const long double *)value) : snprintf(buf, n, format, *(const double *)value);
}

static long parse_float(const char *s, void *out, long kind) {
  char *end;
  if (kind == 0)
    *(float *)out = strtof(s, &end);
  else if (kind == 1)
    *(double *)out = strtod(s, &end);
  else
    *(long double *)out = strtold(s, &end);
  return end - s;
}

static double math1(long op, double x) {
  static double (*const table[])(double) = {sin,  cos,  tan,   asin, acos,  atan,  sinh,   cosh,   tanh, asinh, acosh, atanh, exp, exp2, expm1,
                                            log,  log2, log10, log1p, cbrt, tgamma, lgamma, erf,  erfc,  j0, j1, y0, y1, exp10};
  return table[op](x);
}

static double math2(long op, double x, double y) {
  static double (*const table[])(double, double) = {pow, atan2, fmod, hypot, remainder};
  return table[op](x, y);
}

static long result(long r) { return r < 0 ? -errno : r; }

long OUR(host)(int number, long a, long b, long c, long d, long e, long f) {
  switch (number) {
  case HOST_READ: return result(read((int)a, (void *)b, (size_t)c));
  case HOST_WRITE: return result(write((int)a, (void *)b, (size_t)c));
  case HOST_OPEN: return result(open((char *)a, (int)b, (mode_t)c));
  case HOST_CLOSE: return result(close((int)a));
  case HOST_LSEEK: return result(lseek((int)a, b, (int)c));
  case HOST_FSTAT: return result(fstat((int)a, (struct stat *)b));
  case HOST_STAT: return result(c ? stat((char *)a, (struct stat *)b) : lstat((char *)a, (struct stat *)b));
  case HOST_UNLINK: return result(unlink((char *)a));
  case HOST_RENAME: return result(rename((char *)a, (char *)b));
  case HOST_MKDIR: return result(mkdir((char *)a, (mode_t)b));
  case HOST_RMDIR: return result(rmdir((char *)a));
  case HOST_GETCWD: return getcwd((char *)a, (size_t)b) ? (long)strlen((char *)a) : -errno;
  case HOST_CHDIR: return result(chdir((char *)a));
  case HOST_ISATTY: return isatty((int)a);
  case HOST_CLOCK: return result(clock_gettime((clockid_t)a, (struct timespec *)b));
  case HOST_GETPID: return getpid();
  case HOST_ACCESS: return result(access((char *)a, (int)b));
  case HOST_DUP: return result(dup((int)a));
  case HOST_DUP2: return result(dup2((int)a, (int)b));
  case HOST_FCNTL: return result(fcntl((int)a, (int)b, c));
  case HOST_LISTDIR: return list_directory((char *)a, (char *)b, (size_t)c);
  case HOST_FORMAT_FLOAT: return format_float((char *)a, (size_t)b, (char *)c, (void *)d, e);
  case HOST_PARSE_FLOAT: return parse_float((char *)a, (void *)b, c);
  case HOST_MATH1: *(double *)c = math1(a, *(double *)b); return 0;
  case HOST_MATH2: *(double *)d = math2(a, *(double *)b, *(double *)c); return 0;
  case HOST_GETID: return a == 0 ? getuid() : a == 1 ? geteuid() : a == 2 ? getgid() : a == 3 ? getegid() : getppid();
  case HOST_NANOSLEEP: return 0;
  case HOST_PRETEND: return 0;
  case HOST_ENVIRON: { int n = 0; while (environ[n]) n++; return copy_list(environ, n, (char *)a, (size_t)b); }
  case HOST_RANDOM: memset((void *)a, 7, (size_t)b); return b;
  case HOST_LOCALTIME: return localtime_r((time_t *)a, (struct tm *)b) ? 0 : -EINVAL;
  case HOST_READLINK: return result(readlink((char *)a, (char *)b, (size_t)c));
  case HOST_FTRUNCATE: return result(ftruncate((int)a, b));
  case HOST_ARGV: return copy_list(host_argv, host_argc, (char *)a, (size_t)b);
  case HOST_ARGC: return host_argc;
  default: return -ENOSYS;
  }
}

/* Entry: a whole program on our libc, or the comparison. */
#ifdef PROGRAM
int our_main(int, char **, char **);
int OUR(user_main)(int argc, char **argv, char **envp) { return our_main(argc, argv, envp); }
int OUR(entry)(void);
int main(int argc, char **argv) {
  host_argc = argc;
  host_argv = argv;
  return OUR(entry)();
}
#else
int OUR(user_main)(int argc, char **argv, char **envp) { return 0; }
#endif
