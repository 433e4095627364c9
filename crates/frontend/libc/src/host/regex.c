/* <regex.h> on the host: not understood, and it says so.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <regex.h>

int regcomp(regex_t *restrict regex, const char *restrict pattern, int flags) {
  __blitz_unsupported("regular expressions (regcomp)");
}
int regexec(const regex_t *restrict regex, const char *restrict s, size_t n, regmatch_t *restrict match, int flags) {
  __blitz_unsupported("regular expressions (regexec)");
}
void regfree(regex_t *regex) {}
size_t regerror(int code, const regex_t *restrict regex, char *restrict buf, size_t n) {
  return (size_t)snprintf(buf, n, "regular expression error %d", code) + 1;
}
