/* What the models of the environment share: descriptors and what is behind them.
 *
 * Every behaviour here can be had from a real machine; docs/libc.md says how each input is fed to a native run. */
#ifndef BLITZ_MODEL_H
#define BLITZ_MODEL_H

#include "libc.h"
#include <stdbool.h>

/* What is behind a descriptor. */
enum kind {
  KIND_CLOSED,
  KIND_STDIN,  /* bytes "stdin", in order; a pipe into which everything was written and that was closed */
  KIND_SINK,   /* output that nobody reads: stdout, stderr, files opened for writing only */
  KIND_FILE,   /* a regular file: its contents are an object */
  KIND_SOCKET, /* bytes "socket", in order, as the peer sends them; output goes nowhere */
  KIND_PIPE,   /* both ends of a pipe of our own, through memory */
};

/* After a word comes a blank, after a number no further digit: else scanf would have read on. */
enum follows { FOLLOWS_ANY, FOLLOWS_BLANK, FOLLOWS_NO_DIGIT };

struct file {
  int kind;
  int flags;           /* of open(2) */
  bool ended;          /* the end was seen: it stays */
  unsigned char *data; /* contents of a regular file */
  size_t size, at;
  int follows; /* what the next byte must be, by what scanf read before: enum follows */
  int descriptors; /* how many refer to it */
};

enum { DESCRIPTORS = 64 };
extern struct file *__blitz_fds[DESCRIPTORS];

/* The file behind a descriptor, or null with EBADF. */
struct file *__blitz_file(int fd);
/* The lowest free descriptor for a file, or -1 with EMFILE. */
int __blitz_new_fd(struct file *file);
struct file *__blitz_new_file(int kind, int flags);

/* One byte or -1 at the end; n bytes or fewer at the end; up to and with delim. */
int __blitz_file_next(struct file *file);
/* Bytes that standard input may still have, and that some were read. */
size_t __blitz_stdin_left(void);
void __blitz_stdin_took(size_t n);
size_t __blitz_file_read(struct file *file, void *p, size_t n);
size_t __blitz_file_line(struct file *file, void *p, size_t n, int delim);
size_t __blitz_file_write(struct file *file, int fd, const void *p, size_t n);
/* Makes a regular file at least that long; what is new is zero. */
void __blitz_file_extend(struct file *file, size_t size);

/* The number of a child that was made just now. */
pid_t __blitz_new_child(void);

/* 10^0 to 10^308. */
extern const double __blitz_pow10[309];

/* Whether a file can have that name: else -1, with ENOENT if it is empty, with ENAMETOOLONG if it has PATH_MAX bytes. */
int __blitz_check_path(const char *path);

/* 0, or one of up to three ways the call can fail, as an input of this name. */
#define CHOICE(name, ...) __blitz_choice(__blitz_input_int(name), CHOICE_ERRORS(__VA_ARGS__, 0, 0, 0))
#define CHOICE_ERRORS(first, second, third, ...) first, second, third

/* 0 is success, i the i-th error; no memory is touched, so that it stays a small formula. */
static inline int __blitz_choice(int choice, int first, int second, int third) {
  __blitz_assume(choice >= 0 && choice <= 1 + (second != 0) + (third != 0));
  return choice == 0 ? 0 : choice == 1 ? first : choice == 2 ? second : third;
}

#endif
