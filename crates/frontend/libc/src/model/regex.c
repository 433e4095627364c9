/* <regex.h> in the modelled environment: any pattern may be wrong, and match or not, anywhere in the text. What a
 * given pattern really matches is left to the native replay.
 * direction: more, any match */
#define _GNU_SOURCE
#include "model.h"
#include <regex.h>
#include <string.h>

int regcomp(regex_t *restrict regex, const char *restrict pattern, int flags) {
  __blitz_check_string(pattern);
  __blitz_more("regcomp: any pattern may be wrong");
  memset(regex, 0, sizeof *regex);
  if (__blitz_input_bool("regcomp fails"))
    return REG_BADPAT;
  regex->re_nsub = __blitz_input_u8("regcomp groups");
  __blitz_assume(regex->re_nsub <= 9);
  regex->buffer = __blitz_heap_alloc(1); /* what it was compiled to, for regfree */
  return 0;
}

static void any_match(regmatch_t *out, size_t length) {
  size_t from = __blitz_input_size("regexec begin"), to = __blitz_input_size("regexec end");
  __blitz_assume(from <= to && to <= length);
  out->rm_so = (regoff_t)from;
  out->rm_eo = (regoff_t)to;
}

int regexec(const regex_t *restrict regex, const char *restrict s, size_t n, regmatch_t *restrict match, int flags) {
  size_t length = strlen(s);
  __blitz_check_read(regex->buffer, 1);
  __blitz_more("regexec: any match");
  if (!__blitz_input_bool("regexec matches"))
    return REG_NOMATCH;
  for (size_t i = 0; i < n; i++) {
    CUT(i, 10, "more than 10 groups of a regular expression");
    if (i <= regex->re_nsub)
      any_match(&match[i], length);
    else
      match[i].rm_so = match[i].rm_eo = -1;
  }
  return 0;
}

void regfree(regex_t *regex) {
  __blitz_heap_free(regex->buffer);
  regex->buffer = NULL;
}
size_t regerror(int code, const regex_t *restrict regex, char *restrict buf, size_t n) {
  return (size_t)snprintf(buf, n, "Invalid regular expression") + 1;
}
