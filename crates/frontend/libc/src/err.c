/* <err.h>, <error.h>, <syslog.h>: messages.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <err.h>
#include <error.h>
#include <string.h>
#include <syslog.h>

extern char *__progname;
unsigned error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void message(int code, const char *format, va_list args) {
  fprintf(stderr, "%s: ", __progname);
  if (format != NULL)
    vfprintf(stderr, format, args);
  if (code >= 0)
    fprintf(stderr, "%s%s", format ? ": " : "", strerror(code));
  fputc('\n', stderr);
}

void vwarn(const char *format, va_list args) { message(errno, format, args); }
void vwarnx(const char *format, va_list args) { message(-1, format, args); }
void verr(int status, const char *format, va_list args) {
  message(errno, format, args);
  exit(status);
}
void verrx(int status, const char *format, va_list args) {
  message(-1, format, args);
  exit(status);
}

#define WITH_ARGS(call)                                                                                                \
  va_list args;                                                                                                        \
  va_start(args, format);                                                                                              \
  call;                                                                                                                \
  va_end(args)

void warn(const char *format, ...) { WITH_ARGS(vwarn(format, args)); }
void warnx(const char *format, ...) { WITH_ARGS(vwarnx(format, args)); }
void err(int status, const char *format, ...) {
  WITH_ARGS(message(errno, format, args));
  exit(status);
}
void errx(int status, const char *format, ...) {
  WITH_ARGS(message(-1, format, args));
  exit(status);
}

void error(int status, int code, const char *format, ...) {
  fflush(stdout);
  error_message_count++;
  if (error_print_progname != NULL)
    error_print_progname();
  else
    fprintf(stderr, "%s: ", __progname);
  WITH_ARGS(vfprintf(stderr, format, args));
  if (code != 0)
    fprintf(stderr, ": %s", strerror(code));
  fputc('\n', stderr);
  if (status != 0)
    exit(status);
}

void error_at_line(int status, int code, const char *file, unsigned line, const char *format, ...) {
  fflush(stdout);
  error_message_count++;
  fprintf(stderr, "%s:%s:%u: ", __progname, file, line);
  WITH_ARGS(vfprintf(stderr, format, args));
  if (code != 0)
    fprintf(stderr, ": %s", strerror(code));
  fputc('\n', stderr);
  if (status != 0)
    exit(status);
}

/* The system log takes everything and shows nothing; its arguments are checked by being formatted. */
void openlog(const char *name, int option, int facility) {}
void closelog(void) {}
int setlogmask(int mask) {
  static int now = 0xff;
  int before = now;
  if (mask != 0)
    now = mask;
  return before;
}
void vsyslog(int priority, const char *format, va_list args) {
  struct sink nowhere = {0};
  __blitz_format(&nowhere, format, args);
}
void syslog(int priority, const char *format, ...) { WITH_ARGS(vsyslog(priority, format, args)); }
void __syslog_chk(int priority, int flag, const char *format, ...) { WITH_ARGS(vsyslog(priority, format, args)); }
void __vsyslog_chk(int priority, int flag, const char *format, va_list args) { vsyslog(priority, format, args); }
