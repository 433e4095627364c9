/* Streams of the modelled environment: unbuffered, since nobody sees the difference. */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

size_t __blitz_stream_area(void) { return PUSHBACK; }

static struct file *readable(FILE *f) {
  struct file *file = f->_flags & STREAM_NO_READ ? NULL : __blitz_file(f->_fileno);
  if (file == NULL) {
    f->_flags |= STREAM_ERROR;
    errno = EBADF;
  }
  return file;
}

static size_t memory_read(struct stream *s, void *p, size_t n) {
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

static size_t memory_write(struct stream *s, const void *p, size_t n) {
  if (s->mem_at + n + 1 > s->mem_room) {
    if (s->mem_out == NULL) {
      size_t left = s->mem_at < s->mem_room ? s->mem_room - s->mem_at : 0;
      n = n < left ? n : left;
    } else {
      char *bigger = __blitz_heap_alloc(s->mem_at + n + 1);
      memcpy(bigger, s->mem, s->mem_size);
      __blitz_heap_free(s->mem);
      s->mem = bigger;
      s->mem_room = s->mem_at + n + 1;
    }
  }
  memcpy(s->mem + s->mem_at, p, n);
  s->mem_at += n;
  if (s->mem_at > s->mem_size)
    s->mem_size = s->mem_at;
  return n;
}

size_t __blitz_stream_write(FILE *f, const void *p, size_t n) {
  struct stream *s = (struct stream *)f;
  if (s->mem != NULL) {
    size_t put = memory_write(s, p, n);
    __blitz_stream_flush(f);
    return put;
  }
  if (f->_flags & STREAM_NO_WRITE) {
    f->_flags |= STREAM_ERROR;
    errno = EBADF;
    return 0;
  }
  struct file *file = __blitz_file(f->_fileno);
  if (file == NULL) {
    f->_flags |= STREAM_ERROR;
    return 0;
  }
  return __blitz_file_write(file, f->_fileno, p, n);
}

int __blitz_stream_flush(FILE *f) {
  struct stream *s = (struct stream *)f;
  if (s->mem != NULL) {
    if (s->mem_size < s->mem_room)
      s->mem[s->mem_size] = 0;
    if (s->mem_out != NULL)
      *s->mem_out = s->mem;
    if (s->mem_out_size != NULL)
      *s->mem_out_size = s->mem_size;
  }
  return 0;
}
