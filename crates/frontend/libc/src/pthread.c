/* <pthread.h>: threads, their data, and what is done once. A lock is free unless somebody holds it; in a program that starts no thread, waiting
 * for one that it holds itself is being stuck for good. Starting a thread never fails. Cancellation and signals to threads are not understood and say
 * so. Locks are in mutex.c, what waits for others in waiting.c.
 * direction: exact */
#define _GNU_SOURCE
#include "threads_model.h"
#include <signal.h>
#include <string.h>

/* Threads by number; a handle is the number plus one. */
enum { THREADS = 64 };
struct thread {
  void *(*start)(void *);
  void *arg;
  void *result;
  _Bool detached, joined;
  _Bool gives_none, ended_without; /* its function gives no pointer; it came to that function's end */
};
static struct thread threads[THREADS];
static int started, running = 1;

static void run_destructors(void);

/* The front end sets this right before a call of pthread_create whose function is of another type and gives no pointer, as old C has them: the result is then what
 * a register happens to hold. */
_Bool __blitz_start_gives_none;

/* What a new thread begins with. */
static void *begin(void *arg) {
  struct thread *own = arg;
  __blitz_acquire(own);
  void *given = own->arg;
  own->arg = NULL;
  if (!own->gives_none)
    __blitz_leave_thread(own->start(given));
  ((void (*)(void *))own->start)(given);
  own->ended_without = 1;
  __blitz_leave_thread(NULL);
}

void __blitz_leave_thread(void *result) {
  run_destructors();
  struct thread *own = &threads[__blitz_thread_self()];
  own->result = result;
  __blitz_release(own);
  if (--running == 0)
    exit(0);
  __blitz_thread_exit();
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *),
                   void *restrict arg) {
  _Bool gives_none = __blitz_start_gives_none;
  __blitz_start_gives_none = 0;
  if (started + 1 >= THREADS)
    __blitz_unsupported("more than 63 threads");
  __blitz_switch();
  struct thread *new = &threads[++started];
  new->start = start;
  new->arg = arg;
  new->gives_none = gives_none;
  new->detached = attr != NULL && *(const int *)attr == PTHREAD_CREATE_DETACHED;
  running++;
  *thread = (pthread_t)(started + 1);
  __blitz_release(new);
  __blitz_thread_start(begin, new);
  __blitz_switch();
  return 0;
}

/* CBMC's labels `__CPROVER_ASYNC_1:` start a thread for a statement, which is a block of clang's. Its start is known to every checker; the thread has a copy. */
struct block {
  void *isa;
  int flags, reserved;
  void (*run)(struct block *);
  const unsigned long *descriptor; /* the second word is the size */
};
void *_NSConcreteStackBlock[32], *_NSConcreteGlobalBlock[32];
static void *run_block(void *given) {
  struct block *block = given;
  block->run(block);
  __blitz_heap_free(block);
  return NULL;
}
void __blitz_start_block(void *block) {
  size_t size = ((struct block *)block)->descriptor[1];
  struct block *own = __blitz_heap_alloc(size);
  __blitz_keep_alive(own);
  memcpy(own, block, size);
  pthread_t thread;
  pthread_create(&thread, NULL, run_block, own);
}

pthread_t pthread_self(void) { return (pthread_t)self(); }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* Its handle means nothing any more: glibc then finds no such thread. */
static _Bool is_gone(int number) {
  return threads[number].joined || (threads[number].detached && __blitz_thread_done(number));
}

int pthread_join(pthread_t thread, void **result) {
  if (!__blitz_has_threads() || thread < 1 || thread > (pthread_t)started + 1)
    return ESRCH;
  __blitz_switch();
  int number = (int)thread - 1;
  struct thread *other = &threads[number];
  if (number == __blitz_thread_self()) {
    __blitz_check(0, "deadlock", "pthread_join: a thread waits for itself");
    return EDEADLK;
  }
  if (is_gone(number))
    return ESRCH;
  if (other->detached)
    return EINVAL;
  __blitz_await(__blitz_thread_done(number), "pthread_join: the thread never ends, and all others wait");
  __blitz_acquire(other);
  other->joined = 1;
  if (result != NULL) {
    if (other->ended_without)
      __blitz_unsupported("the result of a thread whose function gives none");
    *result = other->result;
  }
  other->result = NULL;
  return 0;
}

int pthread_tryjoin_np(pthread_t thread, void **result) {
  if (!__blitz_has_threads() || thread < 1 || thread > (pthread_t)started + 1)
    return ESRCH;
  __blitz_switch();
  return __blitz_thread_done((int)thread - 1) ? pthread_join(thread, result) : EBUSY;
}
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until) {
  int code = pthread_tryjoin_np(thread, result);
  return code == EBUSY ? ETIMEDOUT : code;
}

int pthread_detach(pthread_t thread) {
  if (!__blitz_has_threads())
    return 0;
  if (thread < 1 || thread > (pthread_t)started + 1)
    return ESRCH;
  __blitz_switch();
  struct thread *other = &threads[thread - 1];
  if (is_gone((int)thread - 1))
    return ESRCH;
  if (other->detached)
    return EINVAL;
  other->detached = 1;
  return 0;
}

int pthread_cancel(pthread_t thread) {
  if (__blitz_has_threads())
    __blitz_unsupported("pthread_cancel");
  return ESRCH;
}
int pthread_kill(pthread_t thread, int signal) {
  if (__blitz_has_threads())
    __blitz_unsupported("pthread_kill");
  return raise(signal) == 0 ? 0 : errno;
}
void pthread_exit(void *result) {
  if (!__blitz_has_threads())
    exit(0);
  __blitz_leave_thread(result);
}
int pthread_setcancelstate(int state, int *old) { return 0; }
int pthread_setcanceltype(int type, int *old) { return 0; }
void pthread_testcancel(void) {}
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) { return 0; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_yield(void) {
  __blitz_switch();
  return 0;
}

/* Of an attribute only whether the thread is detached matters: the first word. */
int pthread_attr_init(pthread_attr_t *attr) {
  if (__blitz_has_threads())
    memset(attr, 0, sizeof *attr);
  return 0;
}
int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
  if (__blitz_has_threads())
    *(int *)attr = state;
  return 0;
}
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
  *state = *(const int *)attr;
  return 0;
}
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t n) { return 0; }
int pthread_attr_setscope(pthread_attr_t *attr, int scope) { return 0; }

/* Something done by the thread that comes first; the others wait for it. */
int pthread_once(pthread_once_t *once, void (*init)(void)) {
  __blitz_switch();
  if (*once == 0) {
    *once = 1;
    init();
    __blitz_switch();
    if (__blitz_has_threads())
      *once = 2;
    __blitz_release(once);
    return 0;
  }
  __blitz_await(*once == 2, "pthread_once: the function that is called once never ends, and all others wait");
  __blitz_acquire(once);
  return 0;
}

/* Thread-specific data. */
enum { KEYS = 64 };
static _Thread_local const void *values[KEYS];
static void (*destructors[KEYS])(void *);
static unsigned next_key;

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  __blitz_switch();
  if (next_key >= KEYS)
    __blitz_unsupported("more than 64 keys");
  destructors[next_key] = destroy;
  *key = next_key++;
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  __blitz_switch();
  if (key >= next_key)
    return EINVAL;
  destructors[key] = NULL;
  return 0;
}
void *pthread_getspecific(pthread_key_t key) { return key < KEYS ? (void *)values[key] : NULL; }
int pthread_setspecific(pthread_key_t key, const void *value) {
  if (key >= KEYS)
    return EINVAL;
  values[key] = value;
  return 0;
}

/* A destructor may set values again: the round is repeated, four times at most, as in glibc. */
static void run_destructors(void) {
  for (int round = 0; round < 4; round++) {
    _Bool any = 0;
    for (unsigned key = 0; key < next_key; key++) {
      const void *value = values[key];
      if (value == NULL || destructors[key] == NULL)
        continue;
      values[key] = NULL;
      any = 1;
      destructors[key]((void *)value);
    }
    if (!any)
      return;
  }
}
