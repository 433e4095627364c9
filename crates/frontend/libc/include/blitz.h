/* The builtins that the libc models (and harnesses of users) stand on.
 *
 * The front end turns every call of these names into instructions of the IR; none has a body. What each one
 * does is said in crates/ir/src/inst.rs; here only what a caller must know. */
#ifndef BLITZ_H
#define BLITZ_H

#include <stddef.h>

/* A new heap object of n bytes with indeterminate contents. Never fails: the caller decides that before. */
void *__blitz_heap_alloc(size_t n);
/* Checks that p is null or the start of a live heap object (invalid-free, double-free), then ends its life. */
void __blitz_heap_free(void *p);

/* The least i < limit with p[i] == byte, else limit. No check: the caller checks what was read. */
size_t __blitz_scan(const void *p, int byte, size_t limit);
/* The least i < limit with p[i] != q[i], else limit. No check. */
size_t __blitz_mismatch(const void *p, const void *q, size_t limit);

/* p[i], or *p where nothing is there: no check, no branch. p can be read; the caller checks what the result rests on. */
unsigned char __blitz_peek(const void *p, size_t i);
/* cond ? a : b as one value: a symbolic execution does not part. */
unsigned long long __blitz_choose(int cond, unsigned long long a, unsigned long long b);

/* Guards in front of an access; violations are reported at the user's call. */
void __blitz_check_read(const void *p, size_t n);
void __blitz_check_write(void *p, size_t n);
void __blitz_check_defined(const void *p, size_t n);
void __blitz_check_string(const void *p);
/* A check of its own: kind is a string literal naming one of the contract's kinds. */
void __blitz_check(int cond, const char *kind, const char *text);
void __blitz_assume(int cond);

/* Inputs of the program; the name is a string literal and is what reports show. */
_Bool __blitz_input_bool(const char *name);
char __blitz_input_char(const char *name);
short __blitz_input_short(const char *name);
int __blitz_input_int(const char *name);
long __blitz_input_long(const char *name);
long long __blitz_input_llong(const char *name);
size_t __blitz_input_size(const char *name);
unsigned char __blitz_input_u8(const char *name);
unsigned short __blitz_input_u16(const char *name);
unsigned int __blitz_input_u32(const char *name);
unsigned long long __blitz_input_u64(const char *name);
float __blitz_input_float(const char *name);
double __blitz_input_double(const char *name);
void __blitz_input_bytes(void *p, size_t n, const char *name);

/* How a program ends: with a look for leaks, without one, or outside of what is understood. */
_Noreturn void __blitz_exit(int status);
_Noreturn void __blitz_halt(int status);
_Noreturn void __blitz_unsupported(const char *what);

/* From here on this path leaves out what the real function might do (no answer `safe` rests on it), or does what the real function may not do
 * (no violation rests on it, unless the native program shows it too). Both go on. The text is "function: what". */
void __blitz_fewer(const char *what);
void __blitz_more(const char *what);

/* Questions about pointers. */
size_t __blitz_object_size(const void *p);
long __blitz_offset(const void *p);
size_t __blitz_object_id(const void *p);
int __blitz_readable(const void *p, size_t n);
int __blitz_writable(const void *p, size_t n);
int __blitz_is_heap(const void *p);
int __blitz_is_live(const void *p);
int __blitz_is_code(const void *p);
/* Whether a result is the machine's, as far as that is known (1 where it is not): only for assumptions about an input.
 * Binary functions count from 100 on. */
int __blitz_math_is(int function, double x, double y, double result);

/* Whether a value is open and only the simplest runs are looked at: those in which a search in a text that begins with the
 * value ends at the first place or nowhere. */
int __blitz_narrow(size_t value);
/* Whether a value is open: other runs have another one here. Steps over a text that is the same in every run end with the text, whatever a model
 * does for fear of too many. */
int __blitz_open(size_t value);

/* Whether the next allocation fails: an input of the environment. */
int __blitz_alloc_fails(void);
/* The object counts as reachable when leaks are looked for. */
void __blitz_keep_alive(const void *p);
/* Bytes that leave the program. */
void __blitz_output(int fd, const void *p, size_t n);

/* Threads; numbers count from 0, which is the thread that runs `main`. Where a program starts no thread, all of this is nothing.
 * A model puts a switch point in front of each synchronisation; between it and an await, in the same function, only reads happen. */
int __blitz_has_threads(void);                                 /* whether the program may start threads: a constant */
int __blitz_thread_start(void *(*start)(void *), void *arg);   /* the number of the new thread */
int __blitz_thread_self(void);
_Bool __blitz_thread_done(int thread);                         /* it was started and has ended */
_Noreturn void __blitz_thread_exit(void);                      /* the others go on */
void __blitz_switch(void);                                     /* another thread may run here */
_Bool __blitz_resumed(void);                                   /* one did, while this thread stood at its last switch point */
void __blitz_await(_Bool cond, const char *text);              /* goes on in states where this holds; the text is the deadlock's */
void __blitz_atomic_begin(void);
void __blitz_atomic_end(void);
void __blitz_acquire(const void *sync);                        /* what was released there happens before what follows */
void __blitz_release(const void *sync);
void __blitz_publish(const void *sync);                        /* a release that forgets those before it */

/* Start of a program: the entry is ours, the rest is supplied by the front end. */
int __blitz_entry(void);
void __blitz_run_constructors(void);
void __blitz_run_destructors(void) __attribute__((weak));
int __blitz_main_takes_arguments(void);
/* Whether the program looks at `environ`, or at the third argument of main: a constant. */
int __blitz_walks_environment(void);
int __blitz_user_main(int argc, char **argv, char **envp);

/* A service of the machine below; src/host only. Pointers are passed as long; the result is -errno on failure. */
long __blitz_host(int number, long a, long b, long c, long d, long e, long f);

enum blitz_host {
  HOST_READ = 1,          /* (fd, buf, n) -> bytes */
  HOST_WRITE = 2,         /* (fd, buf, n) -> bytes */
  HOST_OPEN = 3,          /* (path, flags, mode) -> fd */
  HOST_CLOSE = 4,         /* (fd) */
  HOST_LSEEK = 5,         /* (fd, offset, whence) -> offset */
  HOST_FSTAT = 6,         /* (fd, struct blitz_stat *) */
  HOST_STAT = 7,          /* (path, struct blitz_stat *, follow) */
  HOST_UNLINK = 8,        /* (path) */
  HOST_RENAME = 9,        /* (old, new) */
  HOST_MKDIR = 10,        /* (path, mode) */
  HOST_RMDIR = 11,        /* (path) */
  HOST_GETCWD = 12,       /* (buf, n) -> length without the NUL */
  HOST_CHDIR = 13,        /* (path) */
  HOST_ISATTY = 14,       /* (fd) -> 0 or 1 */
  HOST_CLOCK = 15,        /* (clock, struct blitz_time *) */
  HOST_GETPID = 16,       /* () */
  HOST_ACCESS = 17,       /* (path, mode) */
  HOST_DUP = 18,          /* (fd) -> fd */
  HOST_DUP2 = 19,         /* (fd, fd2) -> fd */
  HOST_FCNTL = 20,        /* (fd, cmd, arg) */
  HOST_LISTDIR = 21,      /* (path, buf, n) -> bytes of NUL-terminated names, "." and ".." included; -ERANGE if n is too small */
  HOST_FORMAT_FLOAT = 22, /* (buf, n, format, value, kind: 0 double, 1 long double) -> length, as snprintf */
  HOST_PARSE_FLOAT = 23,  /* (string, out, kind: 0 float, 1 double, 2 long double) -> bytes consumed */
  HOST_MATH1 = 24,        /* (enum blitz_math1, const double *in, double *out) */
  HOST_MATH2 = 25,        /* (enum blitz_math2, const double *a, const double *b, double *out) */
  HOST_GETID = 26,        /* (0 uid, 1 euid, 2 gid, 3 egid, 4 ppid) */
  HOST_NANOSLEEP = 27,    /* (nanoseconds) */
  HOST_PRETEND = 28,      /* (which, ...) -> 0 */
  HOST_ENVIRON = 29,      /* (buf, n) -> bytes of NUL-terminated NAME=VALUE; -ERANGE if n is too small */
  HOST_RANDOM = 30,       /* (buf, n) -> n */
  HOST_LOCALTIME = 31,    /* (const long long *seconds, struct blitz_tm *) */
  HOST_READLINK = 32,     /* (path, buf, n) -> bytes */
  HOST_FTRUNCATE = 33,    /* (fd, length) */
  HOST_KILL = 34,         /* (signal): ends the program */
  HOST_ARGV = 35,         /* (buf, n) -> bytes of NUL-terminated arguments; -ERANGE if n is too small */
  HOST_ARGC = 36,         /* () -> count */
};

/* What the interpreter fills: the layouts of struct stat, struct timespec and struct tm on x86-64 glibc, whatever
 * the target is. */
struct blitz_stat {
  unsigned long long dev, ino, nlink;
  unsigned int mode, uid, gid, pad;
  unsigned long long rdev;
  long long size, blksize, blocks, atime, atime_nsec, mtime, mtime_nsec, ctime, ctime_nsec, reserved[3];
};
struct blitz_time {
  long long sec, nsec;
};
struct blitz_tm {
  int sec, min, hour, mday, mon, year, wday, yday, isdst, pad;
  long long gmtoff, zone;
};
_Static_assert(sizeof(struct blitz_stat) == 144, "struct stat of x86-64");
_Static_assert(sizeof(struct blitz_tm) == 56, "struct tm of x86-64");

enum blitz_math1 {
  MATH_SIN, MATH_COS, MATH_TAN, MATH_ASIN, MATH_ACOS, MATH_ATAN,
  MATH_SINH, MATH_COSH, MATH_TANH, MATH_ASINH, MATH_ACOSH, MATH_ATANH,
  MATH_EXP, MATH_EXP2, MATH_EXPM1, MATH_LOG, MATH_LOG2, MATH_LOG10, MATH_LOG1P,
  MATH_CBRT, MATH_TGAMMA, MATH_LGAMMA, MATH_ERF, MATH_ERFC,
  MATH_J0, MATH_J1, MATH_Y0, MATH_Y1, MATH_EXP10,
};
enum blitz_math2 { MATH_POW, MATH_ATAN2, MATH_FMOD, MATH_HYPOT, MATH_JN, MATH_YN };

#endif
