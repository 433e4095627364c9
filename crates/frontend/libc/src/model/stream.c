/* Streams of the modelled environment: unbuffered, since nobody sees the difference.
 * direction: exact */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

size_t __blitz_stream_area(void) { return PUSHBACK; }
unsigned char __blitz_area0[PUSHBACK], __blitz_area1[PUSHBACK], __blitz_area2[PUSHBACK];

static struct file *readable(FILE *f) {
  struct file *file = f->_flags & STREAM_NO_READ ? NULL : __blitz_file(f->_fileno);
  if (file == NULL) {
    f->_flags |= STREAM_ERROR;
    errno = EBADF;
    return NULL;
  }
  stream_now(f, STREAM_READS);
  return file;
}

/* Whether the mode of the stream allows it; `forbids` is STREAM_NO_READ or STREAM_NO_WRITE. */
static int may(FILE *f, int forbids) {
  if ((f->_flags & forbids) == 0) {
    stream_now(f, forbids == STREAM_NO_READ ? STREAM_READS : STREAM_WRITES);
    return 1;
  }
  f->_flags |= STREAM_ERROR;
  errno = EBADF;
  return 0;
}

static size_t memory_read(struct stream *s, void *p, size_t n) {
  if (!may(&s->f, STREAM_NO_READ))
    return 0;
  __blitz_memory_flush(s);
  size_t left = s->mem_at < s->mem_size ? s->mem_size - s->mem_at : 0;
  size_t got = n < left ? n : left;
  memcpy(p, s->mem + s->mem_at, got);
  s->mem_at += got;
  if (got < n)
    s->f._flags |= STREAM_EOF;
  return got;
}

int __blitz_stream_next(FILE *f) {
  struct stream *s = (struct stream *)f;
  if (s->mem != NULL) {
    unsigned char byte;
    return memory_read(s, &byte, 1) == 1 ? byte : EOF;
  }
  struct file *file = readable(f);
  if (file == NULL)
    return EOF;
  int c = __blitz_file_next(file);
  if (c < 0)
    f->_flags |= STREAM_EOF;
  return c;
}

size_t __blitz_stream_read(FILE *f, void *p, size_t n) {
  struct stream *s = (struct stream *)f;
  if (s->mem != NULL)
    return memory_read(s, p, n);
  struct file *file = readable(f);
  if (file == NULL)
    return 0;
  size_t got = __blitz_file_read(file, p, n);
  if (got < n)
    f->_flags |= STREAM_EOF;
  return got;
}

size_t __blitz_stream_line(FILE *f, void *p, size_t n, int delim) {
  struct stream *s = (struct stream *)f;
  if (s->mem != NULL) {
    size_t left = s->mem_at < s->mem_size ? s->mem_size - s->mem_at : 0;
    size_t at = __blitz_scan(s->mem + s->mem_at, delim, left);
    size_t line = at < left ? at + 1 : left + 1;
    return memory_read(s, p, line < n ? line : n);
  }
  struct file *file = readable(f);
  if (file == NULL)
    return 0;
  size_t got = __blitz_file_line(file, p, n, delim);
  if (got < n && (got == 0 || ((unsigned char *)p)[got - 1] != (unsigned char)delim))
    f->_flags |= STREAM_EOF;
  return got;
}

size_t __blitz_stream_write(FILE *f, const void *p, size_t n) {
  struct stream *s = (struct stream *)f;
  if (!may(f, STREAM_NO_WRITE))
    return 0;
  if (s->mem != NULL)
    return __blitz_memory_write(s, p, n);
  struct file *file = __blitz_file(f->_fileno);
  if (file == NULL) {
    f->_flags |= STREAM_ERROR;
    return 0;
  }
  return __blitz_file_write(file, f->_fileno, p, n);
}

int __blitz_stream_keeps(FILE *f) {
  if (((struct stream *)f)->mem != NULL)
    return 1;
  struct file *file = f->_fileno >= 0 && f->_fileno < DESCRIPTORS ? __blitz_fds[f->_fileno] : NULL;
  return file != NULL && (file->kind == KIND_FILE || file->kind == KIND_PIPE);
}

int __blitz_stream_flush(FILE *f) {
  struct stream *s = (struct stream *)f;
  return s->mem != NULL ? __blitz_memory_flush(s) : 0;
}

/* Room for n bytes: at least what glibc begins with, at least twice what there was. */
static int make_room(char **line, size_t *room, size_t n) {
  if (*line != NULL && *room >= n)
    return 0;
  size_t want = *room * 2 > n ? *room * 2 : n;
  want = want < 120 ? 120 : want;
  char *bigger = realloc(*line, want);
  if (bigger == NULL)
    return -1;
  *line = bigger;
  *room = want;
  return 0;
}

/* getdelim at once: the length of the line comes first, then its bytes. What was pushed back is not looked at beyond
 * the first byte. */
ssize_t __blitz_stream_whole_line(FILE *f, char **line, size_t *room, int delim) {
  struct stream *s = (struct stream *)f;
  size_t back = f->_IO_read_ptr < f->_IO_read_end;
  struct file *file = s->mem != NULL ? NULL : readable(f);
  size_t most = (size_t)1 << 24;
  if (s->mem == NULL && file == NULL)
    return -1;
  if (file != NULL && (file->kind == KIND_FILE || file->kind == KIND_PIPE)) {
    size_t left = file->at < file->size ? file->size - file->at : 0;
    size_t at = __blitz_scan(file->data + file->at, delim, left);
    most = at < left ? at + 1 : left;
  } else if (s->mem != NULL) {
    size_t left = s->mem_at < s->mem_size ? s->mem_size - s->mem_at : 0;
    size_t at = __blitz_scan(s->mem + s->mem_at, delim, left);
    most = at < left ? at + 1 : left;
  } else {
    most = __blitz_input_size("line length");
    __blitz_assume(most <= (size_t)1 << 24);
  }
  if (make_room(line, room, back + most + 1) < 0)
    return -1;
  if (back && ((*line)[0] = *f->_IO_read_ptr++) == (char)delim) {
    (*line)[1] = 0;
    return 1;
  }
  size_t got = __blitz_stream_line(f, *line + back, most, delim);
  if (file != NULL && (file->kind == KIND_STDIN || file->kind == KIND_SOCKET)) {
    __blitz_assume(got == most);
    file->ended |= got == 0 || (unsigned char)(*line)[back + got - 1] != (unsigned char)delim;
  }
  if (got == 0 || (unsigned char)(*line)[back + got - 1] != (unsigned char)delim)
    f->_flags |= STREAM_EOF;
  got += back;
  (*line)[got] = 0;
  return got == 0 ? -1 : (ssize_t)got;
}
