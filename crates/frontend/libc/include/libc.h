/* What the models share among themselves; nothing of it is seen by the checked program. */
#ifndef BLITZ_LIBC_H
#define BLITZ_LIBC_H

/* No inline bodies from glibc's headers: the functions are defined here. Included first by every model. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#define __NO_CTYPE 1

#include "blitz.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <sys/types.h>

/* 1 in the modelled environment (inputs), 0 in the host's (real files). Defined by start.c of each. */
extern const int __blitz_model;

/* How many arguments there may be beyond argv[0] in the modelled environment. */
extern const int __blitz_argv_max;
/* Options may stand among other arguments, and letters may be grouped. */
extern const int __blitz_argv_anyhow;
/* Nothing of the environment is set, where it is modelled. */
extern const int __blitz_no_environment;
/* A symbolic execution goes path by path. */
extern const int __blitz_by_path;
/* What a symbolic execution can't follow for all runs at once is guessed: not where it goes path by path, because there each byte is decided. */
#define GUESSES (__blitz_model && !__blitz_by_path)

/* In the modelled environment every loop must end without a look at the data, or a symbolic execution never leaves
 * it. Beyond so many iterations the answer is `unknown` for this reason; fewer are explored exactly. */
#define CUT(iterations, limit, what)                                                                                   \
  do {                                                                                                                 \
    if (__blitz_model && (iterations) >= (limit))                                                                      \
      __blitz_unsupported(what);                                                                                       \
  } while (0)

/* Whether a value is open (__blitz_open), as one answer for a symbolic execution and for the run that follows it: an input, which the execution fixes. In a
 * symbolic execution a fresh input is open, in a run nothing is. */
static inline int __blitz_decided_open(size_t value) {
  _Bool decided = __blitz_input_bool("(open)");
  int symbolic = __blitz_open(decided), open = __blitz_open(value);
  __blitz_assume(!symbolic || decided == open);
  return symbolic ? open : decided;
}

/* A number that is at most a size, in as few bits as the size has: sums of such ones are cheap. A size that is open says nothing. */
static inline size_t __blitz_fit(size_t x, size_t size) {
  if (!__blitz_model || __blitz_open(size))
    return x;
  return size < 256 ? (uint8_t)x : size < 65536 ? (uint16_t)x : size <= 0xffffffffu ? (uint32_t)x : x;
}

/* Sets errno and returns -1. */
static inline int fail(int code) {
  errno = code;
  return -1;
}

/* The result of a host service: errno and -1 if it is negative. */
static inline long checked(long result) {
  if (result >= 0)
    return result;
  errno = (int)-result;
  return -1;
}

/* Streams: glibc's own FILE, since its inline functions reach into it, with our state behind it.
 *
 * Bytes between _IO_read_ptr and _IO_read_end are read next (read ahead by the host's streams, pushed back by
 * ungetc in both); `area` is where they lie. Output waits between _IO_write_base and _IO_write_ptr. */
struct stream {
  FILE f;
  struct stream *next; /* all open streams, so that they are reachable and flushed at exit */
  unsigned char *area;
  int pid;   /* of popen, else 0 */
  int owned; /* allocated by us */
  char *buffer; /* of setvbuf: unused, but within reach as long as the stream */
  /* Memory streams (fmemopen, open_memstream) have no descriptor. */
  char *mem;
  size_t mem_at, mem_size, mem_room;
  char **mem_out;
  size_t *mem_out_size;
  /* Of fmemopen: what waits to be written, and whether the memory is ours. */
  char *waiting;
  size_t waits;
  _Bool own_mem;
};

enum { STREAM_EOF = 0x10, STREAM_ERROR = 0x20, STREAM_NO_READ = 4, STREAM_NO_WRITE = 8, STREAM_UNBUFFERED = 2, STREAM_LINE = 0x200, STREAM_APPEND = 0x1000, STREAM_READS = 0x2000, STREAM_WRITES = 0x800 };

/* What was done last with a stream that allows both; of the others the mode says it. */
static inline void stream_now(FILE *f, int what) {
  if ((f->_flags & (STREAM_NO_READ | STREAM_NO_WRITE)) == 0)
    f->_flags = (f->_flags & ~(STREAM_READS | STREAM_WRITES)) | what;
}
enum { PUSHBACK = 16 };

/* Whether a stream may be used for bytes: one that was used for characters may not. A stream is what it was used for first. */
static inline int byte_stream(FILE *f) {
  if (f->_mode > 0)
    return 0;
  f->_mode = -1;
  return 1;
}

/* By variant (host/stream.c, model/stream.c): the bytes behind a stream. */
int __blitz_stream_next(FILE *f);                                             /* a fresh byte or EOF */
size_t __blitz_stream_read(FILE *f, void *p, size_t n);                       /* bytes read; short at the end */
size_t __blitz_stream_line(FILE *f, void *p, size_t n, int delim);            /* at most n bytes, up to and with delim */
ssize_t __blitz_stream_whole_line(FILE *f, char **line, size_t *room, int delim); /* getdelim; model only */
size_t __blitz_stream_write(FILE *f, const void *p, size_t n);                /* bytes written */
size_t __blitz_memory_write(struct stream *s, const void *p, size_t n);       /* into a memory stream */
int __blitz_memory_flush(struct stream *s);
void __blitz_memory_open(struct stream *s);
void __blitz_memory_close(struct stream *s);
enum { MEMORY_BUFFER = 8192 }; /* bytes of a memory stream that wait for a flush, as glibc has it */
int __blitz_stream_keeps(FILE *f);                                            /* whether the program can read what is written */
int __blitz_stream_flush(FILE *f);                                            /* 0, or EOF on failure */
size_t __blitz_stream_area(void);                                             /* size of a stream's area */
extern unsigned char __blitz_area0[], __blitz_area1[], __blitz_area2[];       /* those of the standard streams */

/* Where formatted output goes: a stream, or memory of `size` bytes (SIZE_MAX if the caller gave no limit). Of wide output the format was narrowed, and `format` is what
 * it was; `size` and `at` count characters. */
struct sink {
  FILE *f;
  char *mem;
  size_t size;
  size_t at; /* bytes put so far, those that did not fit included */
  const wchar_t *format;
  wchar_t *wide;
  int failed; /* a text was none of the locale's */
};
int __blitz_format(struct sink *to, const char *format, va_list args);
int __blitz_scan_text(const char *text, const char *format, va_list args);
int __blitz_scan_stream(FILE *f, const char *format, va_list args);

/* Locales: of each category (LC_CTYPE, ...) 0 is "C", 1 another one with UTF-8, 2 another one with characters of one byte. What depends on more of a locale than its characters
 * is followed in "C" only, and marked elsewhere. */
enum locale { LOCALE_C, LOCALE_UTF8, LOCALE_BYTES, LOCALE_ABSENT };
extern unsigned char __blitz_locales[13];
/* The rounding mode is not to nearest: text of floating-point numbers, which is always rounded so, says it. */
extern _Bool __blitz_rounds_otherwise;
void __blitz_text_is_rounded(void);
/* By variant: what setlocale finds under a name that is neither "C" nor "POSIX"; "" is what the environment says. The name it has then, into 16 bytes. */
enum locale __blitz_find_locale(const char *name, char *found);
/* By variant: the classes and cases of bytes from 128 on in a locale of that kind, into the tables of ctype.c. */
void __blitz_byte_classes(unsigned short *classes, int *lower, int *upper);
void __blitz_byte_locale(int on);

/* By variant: scanf on a stream whose next bytes are fresh inputs. Whether f is one; a decimal number of so many bytes
 * (1 if there is one, 0 if not, -1 at the end); a word of at most n bytes (its length, 0 at the end). */
int __blitz_number_input(FILE *f);
int __blitz_read_number(FILE *f, int bytes, int is_signed, int64_t *value);
size_t __blitz_read_word(FILE *f, char *p, size_t n);
/* By variant: what is left of a stream whose bytes all lie in memory, with a zero behind them, or null; and that so many of them were read. */
const char *__blitz_stream_text(FILE *f, size_t *size);
void __blitz_stream_skip(FILE *f, size_t n);
/* The number at the begin of a text as scanf takes it into so many bytes, and where it ends. */
uint64_t __blitz_parse_integer(const char *s, char **end, int base, int is_signed, int bytes);

/* By variant: one conversion of a floating-point number ("%.3g"), as snprintf does it. */
size_t __blitz_format_float(char *buf, size_t size, const char *spec, const void *value, int is_long_double);
/* By variant: the number at s, blanks before it included, into a float (kind 0), double (1) or long double (2). The
 * result is the number of bytes used, 0 if there is no number; errno is ERANGE if it did not fit. */
size_t __blitz_parse_float(const char *s, void *out, int kind);

/* By variant: functions that are not exact. */
double __blitz_math1(enum blitz_math1 op, double x);
double __blitz_math2(enum blitz_math2 op, double x, double y);

/* By variant: a command of popen or system. A descriptor to read its output or to write its input, or -1; the status
 * it ends with, as wait gives it, or -1. */
int __blitz_open_command(int reads);
int __blitz_command_status(void);

/* By variant: local time; negative if that is impossible. And UTC, null if that is. */
struct tm;
int __blitz_local_time(long long seconds, struct tm *tm);
struct tm *__blitz_split_time(long long seconds, struct tm *tm);

#endif
