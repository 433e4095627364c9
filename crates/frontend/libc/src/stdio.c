/* <stdio.h>: streams.
 *
 * What is the same for real files and for modelled ones: opening modes, pushback, the state of a stream. The bytes
 * come from and go to __blitz_stream_* of the variant.
 * direction: exact, but that output never fails */
#define _GNU_SOURCE
#include "libc.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

/* putchar and friends are macros or inline functions in some headers. */
#undef getc
#undef putc
#undef getchar
#undef putchar
#undef stdin
#undef stdout
#undef stderr

static struct stream standard[3] = {
    {.f = {._flags = STREAM_NO_WRITE, ._fileno = 0}, .next = &standard[1], .area = __blitz_area0},
    {.f = {._flags = STREAM_NO_READ, ._fileno = 1}, .next = &standard[2], .area = __blitz_area1},
    {.f = {._flags = STREAM_NO_READ | STREAM_UNBUFFERED, ._fileno = 2}, .area = __blitz_area2},
};
static struct stream *open_streams = &standard[0];

FILE *stdin = &standard[0].f;
FILE *stdout = &standard[1].f;
FILE *stderr = &standard[2].f;

/* Reading. */

int fgetc(FILE *f) {
  if (f->_IO_read_ptr < f->_IO_read_end)
    return (unsigned char)*f->_IO_read_ptr++;
  return __blitz_stream_next(f);
}

int getc(FILE *f) { return fgetc(f); }
int getc_unlocked(FILE *f) { return fgetc(f); }
int fgetc_unlocked(FILE *f) { return fgetc(f); }
int _IO_getc(FILE *f) { return fgetc(f); }
int __uflow(FILE *f) { return fgetc(f); }
int getchar(void) { return fgetc(stdin); }
int getchar_unlocked(void) { return fgetc(stdin); }

int ungetc(int c, FILE *f) {
  struct stream *s = (struct stream *)f;
  if (c == EOF)
    return EOF;
  if (f->_IO_read_ptr == NULL)
    f->_IO_read_ptr = f->_IO_read_end = (char *)s->area + PUSHBACK;
  if (f->_IO_read_ptr == (char *)s->area)
    return EOF;
  *--f->_IO_read_ptr = (char)c;
  f->_flags &= ~STREAM_EOF;
  return (unsigned char)c;
}

/* Takes what was pushed back or read ahead, at most n bytes. */
static size_t take(FILE *f, void *p, size_t n) {
  if (f->_IO_read_ptr >= f->_IO_read_end)
    return 0;
  size_t ready = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
  if (ready > n)
    ready = n;
  memcpy(p, f->_IO_read_ptr, ready);
  f->_IO_read_ptr += ready;
  return ready;
}

size_t fread(void *restrict p, size_t size, size_t count, FILE *restrict f) {
  size_t n = size * count;
  if (n == 0)
    return 0;
  size_t got = take(f, p, n);
  if (got < n)
    got += __blitz_stream_read(f, (char *)p + got, n - got);
  return size == 1 ? got : got / size;
}

size_t fread_unlocked(void *restrict p, size_t size, size_t count, FILE *restrict f) { return fread(p, size, count, f); }

/* At most n bytes up to and including delim; how many there were. */
static size_t read_line(FILE *f, char *p, size_t n, int delim) {
  size_t got = 0;
  if (f->_IO_read_ptr < f->_IO_read_end) {
    size_t ready = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
    size_t want = __blitz_scan(f->_IO_read_ptr, delim, ready);
    got = take(f, p, want < ready && want < n ? want + 1 : n);
    if (got > 0 && (got == n || (unsigned char)p[got - 1] == delim))
      return got;
  }
  return got + __blitz_stream_line(f, p + got, n - got, delim);
}

char *fgets(char *restrict p, int n, FILE *restrict f) {
  if (n <= 0)
    return NULL;
  if (n == 1) {
    *p = 0;
    return p;
  }
  size_t got = read_line(f, p, (size_t)n - 1, '\n');
  if (got == 0)
    return NULL;
  p[got] = 0;
  return p;
}

char *fgets_unlocked(char *restrict p, int n, FILE *restrict f) { return fgets(p, n, f); }

/* Without a limit: what is written is checked, as everywhere. */
char *gets(char *p) {
  size_t got = read_line(stdin, p, SIZE_MAX, '\n');
  if (got == 0)
    return NULL;
  if (p[got - 1] == '\n')
    got--;
  p[got] = 0;
  return p;
}

/* Makes room for more than `used` bytes in *p of *room bytes. */
static int grow(char **p, size_t *room, size_t used) {
  if (*p != NULL && *room > used + 1)
    return 0;
  size_t want = *p == NULL || *room < 60 ? 120 : *room * 2;
  char *bigger = realloc(*p, want);
  if (bigger == NULL)
    return -1;
  *p = bigger;
  *room = want;
  return 0;
}

ssize_t getdelim(char **restrict line, size_t *restrict room, int delim, FILE *restrict f) {
  if (line == NULL || room == NULL)
    return fail(EINVAL);
  if (*line == NULL)
    *room = 0;
  if (__blitz_model)
    return __blitz_stream_whole_line(f, line, room, delim);
  size_t used = 0;
  for (;;) {
    if (grow(line, room, used) != 0)
      return -1;
    size_t got = read_line(f, *line + used, *room - used - 1, delim);
    used += got;
    if (got == 0 || (unsigned char)(*line)[used - 1] == (unsigned char)delim)
      break;
  }
  (*line)[used] = 0;
  return used == 0 ? -1 : (ssize_t)used;
}

ssize_t __getdelim(char **restrict line, size_t *restrict room, int delim, FILE *restrict f) {
  return getdelim(line, room, delim, f);
}

ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict f) { return getdelim(line, room, '\n', f); }

int getw(FILE *f) {
  int word;
  return fread(&word, sizeof word, 1, f) == 1 ? word : EOF;
}

/* Writing. */

size_t fwrite(const void *restrict p, size_t size, size_t count, FILE *restrict f) {
  size_t n = size * count;
  if (n == 0)
    return 0;
  __blitz_check_read(p, n);
  if (!byte_stream(f))
    return 0;
  size_t put = __blitz_stream_write(f, p, n);
  return size == 1 ? put : put / size;
}

size_t fwrite_unlocked(const void *restrict p, size_t size, size_t count, FILE *restrict f) {
  return fwrite(p, size, count, f);
}

int fputs(const char *restrict s, FILE *restrict f) {
  size_t n = strlen(s);
  if (!byte_stream(f))
    return EOF;
  return n == 0 || __blitz_stream_write(f, s, n) == n ? 1 : EOF;
}

int fputs_unlocked(const char *restrict s, FILE *restrict f) { return fputs(s, f); }

/* How many bytes, as glibc says it. */
int puts(const char *s) {
  size_t n = strlen(s) + 1;
  return fputs(s, stdout) < 0 || __blitz_stream_write(stdout, "\n", 1) != 1 ? EOF : n > INT_MAX ? INT_MAX : (int)n;
}

int fputc(int c, FILE *f) {
  unsigned char byte = (unsigned char)c;
  return __blitz_stream_write(f, &byte, 1) == 1 ? byte : EOF;
}

int putc(int c, FILE *f) { return fputc(c, f); }
int putc_unlocked(int c, FILE *f) { return fputc(c, f); }
int fputc_unlocked(int c, FILE *f) { return fputc(c, f); }
int _IO_putc(int c, FILE *f) { return fputc(c, f); }
int __overflow(FILE *f, int c) { return fputc(c, f); }
int putchar(int c) { return fputc(c, stdout); }
int putchar_unlocked(int c) { return fputc(c, stdout); }
int putw(int word, FILE *f) { return fwrite(&word, sizeof word, 1, f) == 1 ? 0 : EOF; }

static void unlink_from(struct stream **list, struct stream *s) {
  for (struct stream **at = list; *at != NULL; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      return;
    }
}

/* Memory streams. In the modelled environment they are the only ones of which anything waits. */

static struct stream *memory_streams;

void __blitz_memory_open(struct stream *s) {
  if (!__blitz_model)
    return;
  s->next = memory_streams;
  memory_streams = s;
}

/* What fits goes to the memory, with a null behind it, or in the place of its last byte. */
static size_t put_in_place(struct stream *s, const char *p, size_t n) {
  size_t at = s->f._flags & STREAM_APPEND ? s->mem_size : s->mem_at;
  size_t null = p[n - 1] != 0;
  if (at + n > s->mem_room) {
    if (s->mem_at + null >= s->mem_room) {
      errno = ENOSPC;
      return 0;
    }
    n = s->mem_room - at;
  }
  memcpy(s->mem + at, p, n);
  s->mem_at = at + n;
  if (s->mem_at > s->mem_size) {
    s->mem_size = s->mem_at;
    if (s->mem_size < s->mem_room && null)
      s->mem[s->mem_size] = 0;
    else if ((s->f._flags & STREAM_APPEND) == 0 && null)
      s->mem[s->mem_room - 1] = 0;
  }
  return n;
}

/* A stream that grows has its bytes in place: the pointer and the size that the program sees change when it is flushed. */
static size_t grow_and_write(struct stream *s, const void *p, size_t n) {
  if (s->mem_at + n + 1 > s->mem_room) {
    size_t doubled = 2 * s->mem_room + 100, needed = s->mem_at + n + 1;
    size_t room = doubled < needed ? needed : doubled;
    char *bigger = __blitz_heap_alloc(room);
    memset(bigger, 0, room);
    memcpy(bigger, s->mem, s->mem_room);
    __blitz_heap_free(s->mem);
    s->mem = bigger;
    s->mem_room = room;
  }
  memcpy(s->mem + s->mem_at, p, n);
  s->mem_at += n;
  if (s->mem_at > s->mem_size)
    s->mem_size = s->mem_at;
  return n;
}

size_t __blitz_memory_write(struct stream *s, const void *p, size_t n) {
  if (n == 0)
    return 0;
  if (s->mem_out != NULL)
    return grow_and_write(s, p, n);
  if (s->waits + n > MEMORY_BUFFER && __blitz_memory_flush(s) != 0)
    return 0;
  if (s->f._flags & STREAM_UNBUFFERED || n > MEMORY_BUFFER) {
    size_t put = put_in_place(s, p, n);
    if (put < n)
      s->f._flags |= STREAM_ERROR;
    return put;
  }
  if (s->waiting == NULL)
    s->waiting = __blitz_heap_alloc(MEMORY_BUFFER);
  memcpy(s->waiting + s->waits, p, n);
  s->waits += n;
  return n;
}

int __blitz_memory_flush(struct stream *s) {
  if (s->mem_out != NULL) {
    *s->mem_out = s->mem;
    *s->mem_out_size = s->mem_at;
    return 0;
  }
  size_t n = s->waits;
  s->waits = 0;
  if (n == 0 || put_in_place(s, s->waiting, n) == n)
    return 0;
  s->f._flags |= STREAM_ERROR;
  return EOF;
}

/* The program is left with as much as was written, and a null. */
void __blitz_memory_close(struct stream *s) {
  if (__blitz_model)
    unlink_from(&memory_streams, s);
  if (s->waiting != NULL)
    __blitz_heap_free(s->waiting);
  if (s->own_mem)
    __blitz_heap_free(s->mem);
  if (s->mem_out == NULL)
    return;
  char *exact = __blitz_heap_alloc(s->mem_at + 1);
  memcpy(exact, s->mem, s->mem_at);
  exact[s->mem_at] = 0;
  __blitz_heap_free(s->mem);
  *s->mem_out = exact;
}

int fflush(FILE *f) {
  if (f != NULL)
    return __blitz_stream_flush(f);
  int result = 0;
  for (struct stream *s = __blitz_model ? memory_streams : open_streams; s != NULL; s = s->next)
    if (__blitz_stream_flush(&s->f) != 0)
      result = EOF;
  return result;
}

int fflush_unlocked(FILE *f) { return fflush(f); }

void __blitz_flush_all(void) { fflush(NULL); }

/* State. */

int feof(FILE *f) { return (f->_flags & STREAM_EOF) != 0; }
int feof_unlocked(FILE *f) { return feof(f); }
int ferror(FILE *f) { return (f->_flags & STREAM_ERROR) != 0; }
int ferror_unlocked(FILE *f) { return ferror(f); }
void clearerr(FILE *f) { f->_flags &= ~(STREAM_EOF | STREAM_ERROR); }
void clearerr_unlocked(FILE *f) { clearerr(f); }
int fileno(FILE *f) { return f->_fileno >= 0 ? f->_fileno : fail(EBADF); }
int fileno_unlocked(FILE *f) { return fileno(f); }
void flockfile(FILE *f) {}
void funlockfile(FILE *f) {}
int ftrylockfile(FILE *f) { return 0; }
int __fsetlocking(FILE *f, int type) { return FSETLOCKING_INTERNAL; }
size_t __fpending(FILE *f) { return (size_t)(f->_IO_write_ptr - f->_IO_write_base); }
size_t __fbufsize(FILE *f) { return __blitz_stream_area() - PUSHBACK; }
int __freading(FILE *f) { return (f->_flags & (STREAM_NO_WRITE | STREAM_READS)) != 0; }
int __fwriting(FILE *f) { return (f->_flags & (STREAM_NO_READ | STREAM_WRITES)) != 0; }
int __freadable(FILE *f) { return (f->_flags & STREAM_NO_READ) == 0; }
int __fwritable(FILE *f) { return (f->_flags & STREAM_NO_WRITE) == 0; }
size_t __freadahead(FILE *f) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }
void __fpurge(FILE *f) {
  f->_IO_read_ptr = f->_IO_read_end;
  f->_IO_write_ptr = f->_IO_write_base;
}

int setvbuf(FILE *restrict f, char *restrict buf, int mode, size_t size) {
  if (mode != _IOFBF && mode != _IOLBF && mode != _IONBF)
    return -1;
  fflush(f);
  if (buf != NULL && mode != _IONBF)
    ((struct stream *)f)->buffer = buf;
  f->_flags &= ~(STREAM_UNBUFFERED | STREAM_LINE);
  f->_flags |= mode == _IONBF ? STREAM_UNBUFFERED : mode == _IOLBF ? STREAM_LINE : 0;
  return 0;
}

void setbuf(FILE *restrict f, char *restrict buf) { setvbuf(f, buf, buf ? _IOFBF : _IONBF, BUFSIZ); }
void setbuffer(FILE *f, char *buf, size_t size) { setvbuf(f, buf, buf ? _IOFBF : _IONBF, size); }
void setlinebuf(FILE *f) { setvbuf(f, NULL, _IOLBF, 0); }

/* Opening and closing. */

/* The flags of open(2) for a mode such as "r+b"; -1 if it is none. */
static int open_flags(const char *mode) {
  int plus = strchr(mode, '+') != NULL;
  int flags;
  if (mode[0] == 'r')
    flags = plus ? O_RDWR : O_RDONLY;
  else if (mode[0] == 'w')
    flags = (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
  else if (mode[0] == 'a')
    flags = (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
  else
    return fail(EINVAL);
  if (strchr(mode, 'x'))
    flags |= O_EXCL;
  if (strchr(mode, 'e'))
    flags |= O_CLOEXEC;
  return flags;
}

static int stream_flags(int open_flags) {
  int access = open_flags & O_ACCMODE;
  return (access == O_RDONLY ? STREAM_NO_WRITE : 0) | (access == O_WRONLY ? STREAM_NO_READ : 0) |
         (open_flags & O_APPEND ? STREAM_APPEND : 0);
}

/* A stream that nothing but the program knows. */
struct stream *__blitz_loose_stream(int fd, int flags) {
  size_t area = __blitz_stream_area();
  struct stream *s = __blitz_heap_alloc(sizeof *s + area);
  memset(s, 0, sizeof *s);
  s->f._flags = flags;
  s->f._fileno = fd;
  s->area = (unsigned char *)(s + 1);
  s->owned = 1;
  return s;
}

FILE *__blitz_new_stream(int fd, int flags) {
  struct stream *s = __blitz_loose_stream(fd, flags);
  if (__blitz_model) {
    __blitz_keep_alive(s);
  } else {
    s->next = open_streams;
    open_streams = s;
  }
  return &s->f;
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
  int flags = open_flags(mode);
  if (flags < 0)
    return NULL;
  int fd = open(path, flags, 0666);
  return fd < 0 ? NULL : __blitz_new_stream(fd, stream_flags(flags));
}

FILE *fopen64(const char *restrict path, const char *restrict mode) { return fopen(path, mode); }

FILE *fdopen(int fd, const char *mode) {
  int flags = open_flags(mode);
  return flags < 0 ? NULL : __blitz_new_stream(fd, stream_flags(flags));
}


int fclose(FILE *f) {
  struct stream *s = (struct stream *)f;
  int result = __blitz_stream_flush(f);
  /* A standard stream may have been closed before. */
  if (f->_fileno >= 0 ? close(f->_fileno) != 0 : !s->owned)
    result = EOF;
  if (s->mem != NULL)
    __blitz_memory_close(s);
  if (!__blitz_model)
    unlink_from(&open_streams, s);
  if (s->owned)
    __blitz_heap_free(s);
  else
    f->_fileno = -1;
  return result;
}

int fcloseall(void) { return fflush(NULL); }

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict f) {
  int flags = open_flags(mode);
  if (flags < 0)
    return NULL;
  __blitz_stream_flush(f);
  if (path != NULL) {
    int fd = open(path, flags, 0666), old = f->_fileno;
    if (fd < 0) {
      if (old >= 0)
        close(old);
      f->_fileno = -1;
      fclose(f);
      return NULL;
    }
    /* The stream keeps its descriptor. */
    if (old >= 0 && old != fd) {
      dup2(fd, old);
      close(fd);
      fd = old;
    }
    f->_fileno = fd;
  }
  f->_flags = stream_flags(flags) | (f->_flags & STREAM_UNBUFFERED);
  f->_IO_read_ptr = f->_IO_read_end = NULL;
  f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = NULL;
  f->_mode = 0;
  return f;
}

FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict f) { return freopen(path, mode, f); }

/* Position. */

/* In a memory stream: up to the end of its room, or anywhere if it grows. */
static int memory_seek(struct stream *s, off_t offset, int whence) {
  off_t start = whence == SEEK_SET ? 0 : (off_t)(whence == SEEK_CUR ? s->mem_at : s->mem_size);
  off_t to = start + offset;
  if (to < 0 || (s->mem_out == NULL && to > (off_t)s->mem_room))
    return fail(EINVAL);
  s->mem_at = (size_t)to;
  return 0;
}

static off_t position(FILE *f) {
  struct stream *s = (struct stream *)f;
  return s->mem != NULL ? (off_t)(s->mem_at + s->waits) : lseek(f->_fileno, 0, SEEK_CUR);
}

int fseeko(FILE *f, off_t offset, int whence) {
  struct stream *s = (struct stream *)f;
  /* A stream that grows shows its new size when it is flushed, not here. */
  if (s->mem_out == NULL && __blitz_stream_flush(f) != 0)
    return -1;
  if (whence == SEEK_CUR)
    offset -= f->_IO_read_end - f->_IO_read_ptr;
  if (s->mem != NULL ? memory_seek(s, offset, whence) < 0 : lseek(f->_fileno, offset, whence) < 0)
    return -1;
  f->_IO_read_ptr = f->_IO_read_end = NULL;
  f->_flags &= ~STREAM_EOF;
  return 0;
}

int fseek(FILE *f, long offset, int whence) { return fseeko(f, offset, whence); }
int fseeko64(FILE *f, off64_t offset, int whence) { return fseeko(f, offset, whence); }

off_t ftello(FILE *f) {
  off_t at = position(f);
  if (at < 0)
    return -1;
  return at - (f->_IO_read_end - f->_IO_read_ptr) + (f->_IO_write_ptr - f->_IO_write_base);
}

long ftell(FILE *f) { return (long)ftello(f); }
off64_t ftello64(FILE *f) { return ftello(f); }

void rewind(FILE *f) {
  fseeko(f, 0, SEEK_SET);
  f->_flags &= ~STREAM_ERROR;
}

int fgetpos(FILE *restrict f, fpos_t *restrict pos) {
  off_t at = ftello(f);
  if (at < 0)
    return -1;
  memset(pos, 0, sizeof *pos);
  pos->__pos = at;
  return 0;
}

int fsetpos(FILE *f, const fpos_t *pos) { return fseeko(f, pos->__pos, SEEK_SET); }
int fgetpos64(FILE *restrict f, fpos64_t *restrict pos) {
  off_t at = ftello(f);
  if (at < 0)
    return -1;
  memset(pos, 0, sizeof *pos);
  pos->__pos = at;
  return 0;
}
int fsetpos64(FILE *f, const fpos64_t *pos) { return fseeko(f, pos->__pos, SEEK_SET); }

void perror(const char *s) {
  int code = errno;
  if (s != NULL && *s != 0)
    fprintf(stderr, "%s: %s\n", s, strerror(code));
  else
    fprintf(stderr, "%s\n", strerror(code));
}
