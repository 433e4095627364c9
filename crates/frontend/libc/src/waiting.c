/* <pthread.h>, <semaphore.h>: condition variables, barriers, semaphores. A wait on a condition may end without a signal (an input decides), after another thread has
 * run: what nobody changed would only be waited for again, unless nobody is left to run, which is a deadlock. A wait with a time limit
 * ends when the thread has its turn, as if signalled or not where nobody signals.
 * direction: exact */
#define _GNU_SOURCE
#include "threads_model.h"
#include <limits.h>
#include <semaphore.h>
#include <string.h>

/* Condition variables: sets of threads. A signal wakes one of those that wait then: those become able to wake, and it may be taken by any of them, the
 * schedule says by whom. Who comes later can't take it. */
struct condition {
  unsigned long long waiting; /* since the last signal */
  unsigned long long able;    /* to take a signal that was sent */
  unsigned signals;           /* that were sent and not taken: at most as many as threads are able */
};
_Static_assert(sizeof(struct condition) <= sizeof(pthread_cond_t), "a condition should have room");

unsigned __blitz_mutex_leave(pthread_mutex_t *mutex);
void __blitz_mutex_again(pthread_mutex_t *mutex, unsigned depth);

static struct condition *condition(pthread_cond_t *cond) { return (struct condition *)cond; }
static unsigned long long bit(void) { return 1ull << __blitz_thread_self(); }
static _Bool is_signalled(struct condition *c) { return c->signals > 0 && (c->able & bit()) != 0; }

/* The thread waits no more: it takes a signal where it can. Those that no signal is left for wait again. */
static void stop_waiting(struct condition *c) {
  if (is_signalled(c))
    c->signals--;
  c->waiting &= ~bit();
  c->able &= ~bit();
  if (c->signals == 0) {
    c->waiting |= c->able;
    c->able = 0;
  }
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr) {
  if (__blitz_has_threads())
    memset(cond, 0, sizeof *cond);
  return 0;
}
int pthread_cond_destroy(pthread_cond_t *cond) { return 0; }

int pthread_cond_signal(pthread_cond_t *cond) {
  if (!__blitz_has_threads())
    return 0;
  __blitz_switch();
  struct condition *c = condition(cond);
  c->able |= c->waiting;
  c->waiting = 0;
  if (c->signals < (unsigned)__builtin_popcountll(c->able))
    c->signals++;
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t *cond) {
  if (!__blitz_has_threads())
    return 0;
  __blitz_switch();
  struct condition *c = condition(cond);
  c->able |= c->waiting;
  c->waiting = 0;
  c->signals = (unsigned)__builtin_popcountll(c->able);
  return 0;
}
/* Where no other thread is, nobody could ever signal: the program is stuck. */
int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex) {
  stuck_if_alone(0);
  __blitz_switch();
  struct condition *c = condition(cond);
  c->waiting |= bit();
  unsigned depth = __blitz_mutex_leave(mutex);
  _Bool spurious = __blitz_input_bool("spurious wake-up");
  __blitz_switch();
  __blitz_await(is_signalled(c) || (spurious && __blitz_resumed()), "pthread_cond_wait: nobody signals, and all others wait");
  stop_waiting(c);
  __blitz_mutex_again(mutex, depth);
  return 0;
}
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  if (!__blitz_has_threads())
    return ETIMEDOUT;
  __blitz_switch();
  struct condition *c = condition(cond);
  c->waiting |= bit();
  unsigned depth = __blitz_mutex_leave(mutex);
  _Bool spurious = __blitz_input_bool("spurious wake-up");
  __blitz_switch();
  int result = is_signalled(c) || spurious ? 0 : ETIMEDOUT;
  stop_waiting(c);
  __blitz_mutex_again(mutex, depth);
  return result;
}
int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict until) {
  return pthread_cond_timedwait(cond, mutex, until);
}
int pthread_condattr_init(pthread_condattr_t *attr) { return 0; }
int pthread_condattr_destroy(pthread_condattr_t *attr) { return 0; }
int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock) { return 0; }

/* Barriers: the generation counts how often all were there. Each parity has its own order, so that who is ahead is not mixed with who is behind. */
struct barrier {
  unsigned count, arrived, generation;
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "a barrier should have room");

int pthread_barrierattr_init(pthread_barrierattr_t *attr) {
  memset(attr, 0, sizeof *attr);
  return 0;
}
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) { return 0; }
int pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attr, unsigned count) {
  if (count == 0)
    return EINVAL;
  struct barrier *b = (struct barrier *)barrier;
  b->count = count;
  b->arrived = b->generation = 0;
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t *barrier) { return 0; }
int pthread_barrier_wait(pthread_barrier_t *barrier) {
  __blitz_switch();
  struct barrier *b = (struct barrier *)barrier;
  unsigned generation = b->generation;
  const char *order = (const char *)b + (generation & 1);
  __blitz_release(order);
  if (++b->arrived == b->count) {
    b->arrived = 0;
    b->generation++;
    __blitz_acquire(order);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  stuck_if_alone(0);
  __blitz_switch();
  __blitz_await(b->generation != generation, "pthread_barrier_wait: too few threads come, and all others wait");
  __blitz_acquire(order);
  return 0;
}

/* Semaphores: the value is the first word, as in glibc's. */
static unsigned *value_of(sem_t *sem) { return (unsigned *)sem; }
static int sem_take(sem_t *sem) {
  --*value_of(sem);
  __blitz_acquire(sem);
  return 0;
}

int sem_init(sem_t *sem, int shared, unsigned value) {
  if (value > INT_MAX)
    return fail(EINVAL);
  memset(sem, 0, sizeof *sem);
  *value_of(sem) = value;
  return 0;
}
int sem_destroy(sem_t *sem) { return 0; }
int sem_post(sem_t *sem) {
  __blitz_switch();
  if (*value_of(sem) == INT_MAX)
    return fail(EOVERFLOW);
  __blitz_release(sem);
  ++*value_of(sem);
  return 0;
}
int sem_trywait(sem_t *sem) {
  __blitz_switch();
  return *value_of(sem) == 0 ? fail(EAGAIN) : sem_take(sem);
}
int sem_wait(sem_t *sem) {
  __blitz_switch();
  stuck_if_alone(*value_of(sem) != 0);
  __blitz_await(*value_of(sem) != 0, "sem_wait: nobody posts, and all others wait");
  return sem_take(sem);
}
int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until) {
  __blitz_switch();
  return *value_of(sem) == 0 ? fail(ETIMEDOUT) : sem_take(sem);
}
int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until) {
  return sem_timedwait(sem, until);
}
int sem_getvalue(sem_t *restrict sem, int *restrict value) {
  __blitz_switch();
  *value = (int)*value_of(sem);
  return 0;
}
