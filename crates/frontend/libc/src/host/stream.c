/* Streams on real files, buffered.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <unistd.h>

enum { BUFFER = 4096 };

size_t __blitz_stream_area(void) { return PUSHBACK + BUFFER; }
unsigned char __blitz_area0[PUSHBACK + BUFFER], __blitz_area1[PUSHBACK + BUFFER], __blitz_area2[PUSHBACK + BUFFER];

static int may(FILE *f, int forbidden) {
  if (!(f->_flags & forbidden)) {
    stream_now(f, forbidden == STREAM_NO_READ ? STREAM_READS : STREAM_WRITES);
    return 1;
  }
  f->_flags |= STREAM_ERROR;
  errno = EBADF;
  return 0;
}

/* Output that waits must be seen before input is asked for, as a terminal would show it. */
static int prepare_read(FILE *f) {
  if (!may(f, STREAM_NO_READ))
    return 0;
  if (f->_IO_write_ptr != f->_IO_write_base)
    __blitz_stream_flush(f);
  if (f == stdin)
    __blitz_stream_flush(stdout);
  return 1;
}

/* Reads from the descriptor; 0 at the end or on failure, with the flag set. */
static size_t read_some(FILE *f, void *p, size_t n) {
  ssize_t got = read(f->_fileno, p, n);
  if (got <= 0)
    f->_flags |= got == 0 ? STREAM_EOF : STREAM_ERROR;
  return got > 0 ? (size_t)got : 0;
}

/* Memory streams have their bytes in place. */
static size_t memory_read(struct stream *s, void *p, size_t n) {
  __blitz_memory_flush(s);
  size_t left = s->mem_at < s->mem_size ? s->mem_size - s->mem_at : 0;
  if (left == 0)
    s->f._flags |= STREAM_EOF;
  n = n < left ? n : left;
  memcpy(p, s->mem + s->mem_at, n);
  s->mem_at += n;
  return n;
}

static int refill(FILE *f) {
  struct stream *s = (struct stream *)f;
  if (!prepare_read(f))
    return 0;
  char *base = (char *)s->area + PUSHBACK;
  size_t got = s->mem ? memory_read(s, base, BUFFER) : read_some(f, base, BUFFER);
  f->_IO_read_ptr = base;
  f->_IO_read_end = base + got;
  return got > 0;
}

int __blitz_stream_next(FILE *f) { return refill(f) ? (unsigned char)*f->_IO_read_ptr++ : EOF; }

size_t __blitz_stream_read(FILE *f, void *p, size_t n) {
  struct stream *s = (struct stream *)f;
  size_t done = 0;
  if (!prepare_read(f))
    return 0;
  while (done < n) {
    size_t want = n - done;
    if (want >= BUFFER && !s->mem) {
      size_t got = read_some(f, (char *)p + done, want);
      if (got == 0)
        break;
      done += got;
      continue;
    }
    if (!refill(f))
      break;
    size_t ready = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
    size_t take = ready < want ? ready : want;
    memcpy((char *)p + done, f->_IO_read_ptr, take);
    f->_IO_read_ptr += take;
    done += take;
  }
  return done;
}

size_t __blitz_stream_line(FILE *f, void *p, size_t n, int delim) {
  size_t done = 0;
  while (done < n && refill(f)) {
    size_t ready = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
    size_t limit = ready < n - done ? ready : n - done;
    size_t at = __blitz_scan(f->_IO_read_ptr, delim, limit);
    size_t take = at < limit ? at + 1 : limit;
    memcpy((char *)p + done, f->_IO_read_ptr, take);
    f->_IO_read_ptr += take;
    done += take;
    if (at < limit)
      break;
  }
  return done;
}

static size_t write_all(FILE *f, const void *p, size_t n) {
  size_t done = 0;
  while (done < n) {
    ssize_t put = write(f->_fileno, (const char *)p + done, n - done);
    if (put <= 0) {
      f->_flags |= STREAM_ERROR;
      break;
    }
    done += (size_t)put;
  }
  return done;
}

/* Forgets what was read ahead: the descriptor goes back to where the program thinks it is. */
static void drop_read_ahead(FILE *f) {
  if (f->_IO_read_ptr < f->_IO_read_end && f->_fileno >= 0)
    lseek(f->_fileno, -(off_t)(f->_IO_read_end - f->_IO_read_ptr), SEEK_CUR);
  f->_IO_read_ptr = f->_IO_read_end = NULL;
}

size_t __blitz_stream_write(FILE *f, const void *p, size_t n) {
  struct stream *s = (struct stream *)f;
  if (!may(f, STREAM_NO_WRITE))
    return 0;
  __blitz_check_defined(p, n);
  if (s->mem)
    return __blitz_memory_write(s, p, n);
  if (f->_IO_read_ptr != NULL)
    drop_read_ahead(f);
  if (f->_IO_write_base == NULL)
    f->_IO_write_base = f->_IO_write_ptr = (char *)s->area + PUSHBACK;
  size_t room = BUFFER - (size_t)(f->_IO_write_ptr - f->_IO_write_base);
  if (n >= room) {
    if (__blitz_stream_flush(f) != 0)
      return 0;
    if (n >= BUFFER)
      return write_all(f, p, n);
  }
  memcpy(f->_IO_write_ptr, p, n);
  f->_IO_write_ptr += n;
  if (f->_flags & STREAM_UNBUFFERED || (f->_flags & STREAM_LINE && memrchr(p, '\n', n) != NULL))
    return __blitz_stream_flush(f) == 0 ? n : 0;
  return n;
}

int __blitz_stream_keeps(FILE *f) { return 1; }

int __blitz_stream_flush(FILE *f) {
  struct stream *s = (struct stream *)f;
  if (s->mem)
    return __blitz_memory_flush(s);
  if (f->_IO_read_ptr != NULL && f->_fileno >= 0 && !(f->_flags & STREAM_NO_READ) && f != stdin)
    drop_read_ahead(f);
  size_t n = (size_t)(f->_IO_write_ptr - f->_IO_write_base);
  if (n == 0)
    return 0;
  f->_IO_write_ptr = f->_IO_write_base;
  return write_all(f, f->_IO_write_base, n) == n ? 0 : EOF;
}

/* Real bytes are read one by one. */
int __blitz_number_input(FILE *f) { return 0; }
int __blitz_read_number(FILE *f, int bytes, int is_signed, int64_t *value) { return -1; }
size_t __blitz_read_word(FILE *f, char *p, size_t n) { return 0; }
ssize_t __blitz_stream_whole_line(FILE *f, char **line, size_t *room, int delim) { return -1; }

/* scanf reads byte by byte. */
const char *__blitz_stream_text(FILE *f, size_t *size) { return NULL; }
void __blitz_stream_skip(FILE *f, size_t n) {}
