/* Runs the threads of a program in the order of a recorded schedule; made by blitz.
 *
 * One thread has the turn. It loses it at visible points: before an access that clang's instrumentation for ThreadSanitizer names (its runtime is
 * not linked: the functions are here), and before each call of a function of <pthread.h> or <semaphore.h>. A step of a thread runs from point to point; the schedule says
 * who makes how many. Who would have to wait gives its turn away. When nobody can go on, all threads say where they stand. When the
 * schedule is over, threads take turns. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Our own calls are of the real functions. */
int __real_pthread_mutex_lock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __real_pthread_cond_signal(pthread_cond_t *);

static const struct slot {
  unsigned thread, steps;
} slots[] = {
#include "schedule.h"
};
static const _Bool spurious[] = {
#include "spurious.h"
};
enum { THREADS = 64, SLOTS = sizeof slots / sizeof *slots, WAKES = sizeof spurious / sizeof *spurious };

void __sanitizer_print_stack_trace(void);

static struct thread {
  pthread_t handle;
  pthread_cond_t turn;
  void *(*start)(void *);
  void *arg;
  _Bool done, waits;
  unsigned long progress, arrived; /* when it began to wait, and came to where it stands */
} threads[THREADS];
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static unsigned started = 1, current, at, made = 1, wakes;
static unsigned long progress;
static _Bool several, stuck;
static _Thread_local unsigned me, atomic;

static _Bool able(unsigned t) { return !threads[t].done && !(threads[t].waits && threads[t].progress == progress); }

/* Everyone is told to say where they stand, one after the other. */
static void say_where(void) {
  static _Bool said[THREADS];
  if (!said[me]) {
    said[me] = 1;
    fprintf(stderr, "==%d==ERROR: BlitzSanitizer: deadlock (thread %u waits)\n", getpid(), me);
    __sanitizer_print_stack_trace();
    fprintf(stderr, "\n");
  }
  for (unsigned t = 0; t < started; t++)
    if (!threads[t].done && !said[t]) {
      current = t;
      __real_pthread_cond_signal(&threads[t].turn);
      return;
    }
  _exit(86);
}

/* The state is locked. The turn goes to whom the schedule says. */
static void next_turn(void) {
  unsigned chosen = THREADS;
  for (; at < SLOTS; at++, made = 0)
    if (made < slots[at].steps && slots[at].thread < started && able(slots[at].thread)) {
      chosen = slots[at].thread;
      made++;
      break;
    }
  for (unsigned i = 1; chosen == THREADS && i <= started; i++)
    if (able((current + i) % started))
      chosen = (current + i) % started;
  if (chosen == THREADS) {
    for (unsigned t = 0; t < started; t++)
      if (!threads[t].done) {
        stuck = 1;
        current = t;
        __real_pthread_cond_signal(&threads[t].turn);
        return;
      }
    return;
  }
  current = chosen;
  threads[chosen].waits = 0;
  __real_pthread_cond_signal(&threads[chosen].turn);
}

static void wait_for_turn(void) {
  while (current != me)
    __real_pthread_cond_wait(&threads[me].turn, &state);
  while (stuck) {
    say_where();
    while (current != me)
      __real_pthread_cond_wait(&threads[me].turn, &state);
  }
}

/* A visible point. */
static void point(void) {
  if (!several || atomic)
    return;
  __real_pthread_mutex_lock(&state);
  threads[me].arrived = ++progress;
  next_turn();
  wait_for_turn();
  __real_pthread_mutex_unlock(&state);
}

/* The thread can't go on: its step was none. */
static void give_way(void) {
  __real_pthread_mutex_lock(&state);
  threads[me].waits = 1;
  threads[me].progress = progress;
  if (at < SLOTS && slots[at].thread == me)
    at++, made = 0;
  next_turn();
  wait_for_turn();
  __real_pthread_mutex_unlock(&state);
}
static _Bool resumed(void) { return threads[me].arrived != progress; }

void __blitz_kit_point(void) { point(); }
void __blitz_kit_atomic(int change) {
  if (change > 0)
    point();
  atomic += change;
}

/* What clang puts in. */
#define ACCESS(name) void __tsan_##name(void *p) { point(); }
#define SIZES(name) ACCESS(name##1) ACCESS(name##2) ACCESS(name##4) ACCESS(name##8) ACCESS(name##16)
SIZES(read) SIZES(write) SIZES(read_write) SIZES(unaligned_read) SIZES(unaligned_write) SIZES(unaligned_read_write)
SIZES(volatile_read) SIZES(volatile_write)
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) {}
void __tsan_func_exit(void) {}
void *__tsan_memcpy(void *to, const void *from, size_t n) {
  point(), point();
  return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
  point(), point();
  return memmove(to, from, n);
}
void *__tsan_memset(void *to, int byte, size_t n) {
  point();
  return memset(to, byte, n);
}
/* One thread runs at a time, so that plain accesses are atomic. */
#define CHANGED(bits, type, name, change) \
  type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) { \
    point(); \
    type old = *p; \
    *p = change; \
    return old; \
  }
#define ATOMIC(bits, type) \
  type __tsan_atomic##bits##_load(const volatile type *p, int order) { return point(), *p; } \
  void __tsan_atomic##bits##_store(volatile type *p, type v, int order) { point(), *p = v; } \
  CHANGED(bits, type, exchange, v) CHANGED(bits, type, fetch_add, old + v) CHANGED(bits, type, fetch_sub, old - v) \
  CHANGED(bits, type, fetch_and, old & v) CHANGED(bits, type, fetch_or, old | v) CHANGED(bits, type, fetch_xor, old ^ v) \
  CHANGED(bits, type, fetch_nand, ~(old & v)) \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type old, type v, int order, int failed) { \
    point(); \
    type seen = *p; \
    if (seen == old) \
      *p = v; \
    return seen; \
  }
ATOMIC(8, unsigned char) ATOMIC(16, unsigned short) ATOMIC(32, unsigned) ATOMIC(64, unsigned long long)
void __tsan_atomic_thread_fence(int order) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) {}

/* Threads. */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
_Noreturn void __real_pthread_exit(void *);
_Noreturn void __real_exit(int);

static void leave(void *thread) {
  __real_pthread_mutex_lock(&state);
  threads[me].done = 1;
  progress++;
  next_turn();
  __real_pthread_mutex_unlock(&state);
}
static void *begin(void *given) {
  struct thread *own = given;
  void *result;
  me = own - threads;
  __real_pthread_mutex_lock(&state);
  wait_for_turn();
  __real_pthread_mutex_unlock(&state);
  pthread_cleanup_push(leave, own);
  result = own->start(own->arg);
  pthread_cleanup_pop(1);
  return result;
}
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
  point();
  if (started == THREADS)
    return EAGAIN;
  struct thread *new = &threads[started];
  *new = (struct thread){.turn = PTHREAD_COND_INITIALIZER, .start = start, .arg = arg};
  if (!several)
    threads[0].handle = pthread_self(), pthread_cond_init(&threads[0].turn, NULL);
  int result = __real_pthread_create(&new->handle, attr, begin, new);
  if (result != 0)
    return result;
  *thread = new->handle;
  __real_pthread_mutex_lock(&state);
  started++;
  several = 1;
  __real_pthread_mutex_unlock(&state);
  point();
  return 0;
}
int __wrap_pthread_join(pthread_t thread, void **result) {
  point();
  for (unsigned t = 0; t < started; t++)
    if (pthread_equal(threads[t].handle, thread))
      while (t == me || !threads[t].done)
        give_way();
  return __real_pthread_join(thread, result);
}
void __wrap_pthread_exit(void *result) {
  if (me == 0 && several)
    leave(&threads[0]);
  __real_pthread_exit(result);
}
void __wrap_exit(int status) {
  point();
  __real_exit(status);
}

/* Locks: what would wait is tried until it does not. */
#define POINTED(name, type) \
  int __real_##name(type *); \
  int __wrap_##name(type *x) { return point(), __real_##name(x); }
#define TRIED(name, again, type, busy) \
  int __real_##again(type *); \
  int __wrap_##name(type *x) { \
    point(); \
    for (;;) { \
      int result = __real_##again(x); \
      if (!(busy)) \
        return result; \
      give_way(); \
    } \
  }
POINTED(pthread_mutex_unlock, pthread_mutex_t) POINTED(pthread_mutex_destroy, pthread_mutex_t) POINTED(pthread_mutex_trylock, pthread_mutex_t)
POINTED(pthread_rwlock_unlock, pthread_rwlock_t) POINTED(pthread_rwlock_tryrdlock, pthread_rwlock_t) POINTED(pthread_rwlock_trywrlock, pthread_rwlock_t)
POINTED(pthread_spin_unlock, pthread_spinlock_t) POINTED(pthread_spin_trylock, pthread_spinlock_t) POINTED(sem_post, sem_t) POINTED(sem_trywait, sem_t)
TRIED(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t, result == EBUSY)
TRIED(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t, result == EBUSY)
TRIED(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t, result == EBUSY)
TRIED(pthread_spin_lock, pthread_spin_trylock, pthread_spinlock_t, result == EBUSY)
TRIED(sem_wait, sem_trywait, sem_t, result != 0 && errno == EAGAIN)

/* Conditions: sets of threads, in the room of the variable itself. */
struct condition {
  unsigned long long waiting, able;
  unsigned signals;
};
static unsigned long long bit(void) { return 1ull << me; }
static _Bool signalled(struct condition *c) { return c->signals > 0 && (c->able & bit()); }
int __wrap_pthread_cond_signal(pthread_cond_t *cond) {
  struct condition *c = (void *)cond;
  point();
  c->able |= c->waiting;
  c->waiting = 0;
  if (c->signals < (unsigned)__builtin_popcountll(c->able))
    c->signals++;
  return 0;
}
int __wrap_pthread_cond_broadcast(pthread_cond_t *cond) {
  struct condition *c = (void *)cond;
  point();
  c->able |= c->waiting;
  c->waiting = 0;
  c->signals = __builtin_popcountll(c->able);
  return 0;
}
/* Begins to wait; whether the wait ends without a signal. */
static _Bool begin_waiting(struct condition *c, pthread_mutex_t *mutex) {
  point();
  c->waiting |= bit();
  __real_pthread_mutex_unlock(mutex);
  _Bool early = wakes < WAKES && spurious[wakes];
  wakes++;
  point();
  return early;
}
static void stop_waiting(struct condition *c) {
  if (signalled(c))
    c->signals--;
  c->waiting &= ~bit();
  c->able &= ~bit();
  if (c->signals == 0) {
    c->waiting |= c->able;
    c->able = 0;
  }
}
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  struct condition *c = (void *)cond;
  _Bool early = begin_waiting(c, mutex);
  while (!signalled(c) && !(early && resumed()))
    give_way();
  stop_waiting(c);
  return __wrap_pthread_mutex_lock(mutex);
}
/* Limits of time have passed when the thread has its turn. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
  struct condition *c = (void *)cond;
  _Bool early = begin_waiting(c, mutex);
  int result = signalled(c) || early ? 0 : ETIMEDOUT;
  stop_waiting(c);
  __wrap_pthread_mutex_lock(mutex);
  return result;
}
#define TIMED(name, type) \
  int __real_##name(type *, const struct timespec *); \
  int __wrap_##name(type *lock, const struct timespec *until) { \
    static const struct timespec past; \
    point(); \
    return __real_##name(lock, &past); \
  }
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t) TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t) TIMED(pthread_mutex_timedlock, pthread_mutex_t) TIMED(sem_timedwait, sem_t)

struct barrier {
  unsigned count, arrived, generation;
};
int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count) {
  *(struct barrier *)barrier = (struct barrier){.count = count};
  return count == 0 ? EINVAL : 0;
}
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier) {
  struct barrier *b = (void *)barrier;
  point();
  unsigned generation = b->generation;
  if (++b->arrived == b->count) {
    b->arrived = 0;
    b->generation++;
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  point();
  while (b->generation == generation)
    give_way();
  return 0;
}
int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier) { return 0; }

int __wrap_pthread_once(pthread_once_t *once, void (*init)(void)) {
  point();
  if (*once == 0) {
    *once = 1;
    init();
    point();
    *once = 2;
    return 0;
  }
  while (*once != 2)
    give_way();
  return 0;
}
void __real_free(void *);
void __wrap_free(void *p) {
  point();
  __real_free(p);
}
int __wrap_sched_yield(void) {
  point();
  return 0;
}
