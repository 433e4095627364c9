/* How a program ends: exit, atexit, abort, assertions that fail.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <assert.h>
#include <unistd.h>

/* What is left to be written goes out. Each environment has its own, since naming a function of stdio here would load all of it for every
 * program. */
void __blitz_finish(void);

/* Handlers in order of registration; they run in reverse. */
struct handler {
  struct handler *before;
  void (*plain)(void);
  void (*with_arg)(void *);
  void (*on_exit)(int, void *);
  void *arg;
};
static struct handler *handlers, *quick_handlers;

static int add_to(struct handler **list, struct handler h) {
  struct handler *entry = __blitz_heap_alloc(sizeof *entry);
  __blitz_keep_alive(entry);
  h.before = *list;
  *entry = h;
  *list = entry;
  return 0;
}

static int add_handler(struct handler h) { return add_to(&handlers, h); }

int atexit(void (*f)(void)) { return add_handler((struct handler){.plain = f}); }
int __cxa_atexit(void (*f)(void *), void *arg, void *dso) { return add_handler((struct handler){.with_arg = f, .arg = arg}); }
int on_exit(void (*f)(int, void *), void *arg) { return add_handler((struct handler){.on_exit = f, .arg = arg}); }
int at_quick_exit(void (*f)(void)) { return add_to(&quick_handlers, (struct handler){.plain = f}); }

static void run_handlers(int status) {
  while (handlers != NULL) {
    struct handler *h = handlers;
    handlers = h->before;
    if (h->plain != NULL)
      h->plain();
    else if (h->with_arg != NULL)
      h->with_arg(h->arg);
    else
      h->on_exit(status, h->arg);
  }
}

void exit(int status) {
  __blitz_switch();
  run_handlers(status);
  __blitz_run_destructors();
  __blitz_finish();
  __blitz_exit(status & 0xff);
}

void _exit(int status) {
  __blitz_switch();
  __blitz_halt(status & 0xff);
}
void _Exit(int status) {
  __blitz_switch();
  __blitz_halt(status & 0xff);
}

/* Handlers of its own, no destructors, nothing is flushed. */
void quick_exit(int status) {
  while (quick_handlers != NULL) {
    struct handler *h = quick_handlers;
    quick_handlers = h->before;
    h->plain();
  }
  __blitz_halt(status & 0xff);
}

/* Set by signal.c where SIGABRT is handled: a handler may jump away, what comes back ends the program. */
void (*__blitz_on_abort)(void);

/* 134 is what a shell reports for SIGABRT. Streams are not flushed. The front end calls this where the program sets handlers of signals, and ends the
 * program at once elsewhere. */
void abort(void) {
  if (__blitz_on_abort != NULL)
    __blitz_on_abort();
  __blitz_halt(134);
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  __blitz_check(0, "assertion", "assertion of the program");
  __blitz_halt(134);
}

void __assert_perror_fail(int code, const char *file, unsigned line, const char *function) {
  __blitz_check(0, "assertion", "assertion of the program");
  __blitz_halt(134);
}

void __assert(const char *text, const char *file, int line) {
  __blitz_check(0, "assertion", "assertion of the program");
  __blitz_halt(134);
}

void __stack_chk_fail(void) {
  __blitz_check(0, "buffer-overflow", "stack canary overwritten");
  __blitz_halt(134);
}

void __chk_fail(void) {
  __blitz_check(0, "buffer-overflow", "_FORTIFY_SOURCE check failed");
  __blitz_halt(134);
}
