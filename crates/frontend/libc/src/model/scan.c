/* scanf on modelled standard input: numbers and words as single inputs.
 * direction: exact */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

int __blitz_number_input(FILE *f) {
  struct file *file = ((struct stream *)f)->mem != NULL ? NULL : __blitz_file(f->_fileno);
  return file != NULL && file->kind == KIND_STDIN;
}

/* At the end, or from now on: no number, so something that scanf does not take for one comes next. */
static int no_number(FILE *f, struct file *file) {
  int byte = __blitz_file_next(file);
  if (byte < 0) {
    f->_flags |= STREAM_EOF;
    return -1;
  }
  __blitz_assume(byte != '-' && byte != '+' && !(byte >= '0' && byte <= '9') && byte != ' ' && !(byte >= '\t' && byte <= '\r'));
  ungetc(byte, f);
  return 0;
}

/* The input stands for " " and the decimal text of the number. */
int __blitz_read_number(FILE *f, int bytes, int is_signed, int64_t *value) {
  struct file *file = __blitz_file(f->_fileno);
  if (file->ended || __blitz_stdin_left() == 0 || !__blitz_input_bool("stdin has a number")) {
    if (file->follows == FOLLOWS_BLANK && !file->ended)
      __blitz_file_next(file);
    return no_number(f, file);
  }
  if (bytes == 8)
    *value = is_signed ? __blitz_input_llong("stdin number") : (int64_t)__blitz_input_u64("stdin number");
  else
    *value = is_signed ? __blitz_input_int("stdin number") : (int64_t)__blitz_input_u32("stdin number");
  __blitz_stdin_took(1);
  file->follows = FOLLOWS_NO_DIGIT;
  return 1;
}

/* The rest of a regular file as a text. */
const char *__blitz_stream_text(FILE *f, size_t *size) {
  struct file *file = ((struct stream *)f)->mem != NULL || f->_flags & STREAM_NO_READ || f->_IO_read_ptr < f->_IO_read_end ? NULL : __blitz_file(f->_fileno);
  if (file == NULL || file->kind != KIND_FILE || file->data == NULL || file->at > file->size)
    return NULL;
  file->data[file->size] = 0;
  *size = file->size - file->at;
  return (const char *)file->data + file->at;
}

void __blitz_stream_skip(FILE *f, size_t n) {
  stream_now(f, STREAM_READS);
  __blitz_file(f->_fileno)->at += n;
}

static void assume_without(const char *p, size_t n, int byte) { __blitz_assume(__blitz_scan(p, byte, n) == n); }

static void input_word(char *p, size_t n) {
  __blitz_input_bytes(p, n, "stdin");
  assume_without(p, n, ' ');
  for (int blank = '\t'; blank <= '\r'; blank++)
    assume_without(p, n, blank);
}

size_t __blitz_read_word(FILE *f, char *p, size_t n) {
  struct file *file = __blitz_file(f->_fileno);
  int separated = file->follows == FOLLOWS_ANY;
  if (!separated) {
    file->follows = FOLLOWS_BLANK;
    __blitz_file_next(file);
  }
  if (file->ended || __blitz_stdin_left() == 0 || __blitz_input_bool("stdin ends")) {
    file->ended = true;
    f->_flags |= STREAM_EOF;
    return 0;
  }
  size_t got = __blitz_input_size("stdin word length");
  __blitz_assume(got >= 1 && got <= n && got <= (size_t)1 << 24 && got <= __blitz_stdin_left());
  __blitz_stdin_took(got);
  /* A word that does not fit is read before the access fails: the inputs of a run that ends here hold it. Where that is not checked, it does not happen. */
  if (!__blitz_writable(p, got + 1)) {
    input_word(__blitz_heap_alloc(got), got);
    __blitz_check_write(p, got + 1);
    __blitz_assume(0);
  }
  input_word(p, got);
  p[got] = 0;
  file->follows = got < n ? FOLLOWS_BLANK : FOLLOWS_ANY;
  return got;
}
