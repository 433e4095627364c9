/* <pthread.h>: mutexes, locks for readers and writers, spinlocks. Using a lock in a way that POSIX leaves undefined (unlocking another thread's, destroying one
 * that is held) is a violation in programs with threads.
 * direction: exact */
#define _GNU_SOURCE
#include "threads_model.h"
#include <string.h>

/* Mutexes: glibc's own layout, whose initialisers set the kind. The owner is a thread's number plus one. */
static struct __pthread_mutex_s *of(pthread_mutex_t *mutex) { return &mutex->__data; }
static int kind(pthread_mutex_t *mutex) { return of(mutex)->__kind & 3; }
static _Bool is_free(pthread_mutex_t *mutex) { return of(mutex)->__lock == 0; }
static _Bool is_own(pthread_mutex_t *mutex) {
  return !is_free(mutex) && (!__blitz_has_threads() || of(mutex)->__owner == self());
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  memset(mutex, 0, sizeof *mutex);
  if (attr != NULL)
    of(mutex)->__kind = attr->__align & 3;
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  __blitz_switch();
  if (!is_free(mutex)) {
    __blitz_check(0, "mutex-misuse", "pthread_mutex_destroy: a thread holds the mutex");
    return EBUSY;
  }
  of(mutex)->__kind = -1;
  return 0;
}

/* The caller knows that it is free. */
static void take(pthread_mutex_t *mutex) {
  of(mutex)->__lock = 1;
  of(mutex)->__count = 1;
  if (__blitz_has_threads())
    of(mutex)->__owner = self();
  __blitz_acquire(mutex);
}
/* Without waiting; `busy` where it is held, and is not the thread's own of the kind that counts. */
static int try_take(pthread_mutex_t *mutex, int busy) {
  if (is_free(mutex)) {
    take(mutex);
    return 0;
  }
  if (kind(mutex) != PTHREAD_MUTEX_RECURSIVE || !is_own(mutex))
    return busy;
  of(mutex)->__count++;
  return 0;
}
static void let_go(pthread_mutex_t *mutex) {
  __blitz_release(mutex);
  of(mutex)->__lock = 0;
  if (__blitz_has_threads())
    of(mutex)->__owner = 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  __blitz_switch();
  return try_take(mutex, EBUSY);
}
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  __blitz_switch();
  if (is_own(mutex)) {
    if (kind(mutex) == PTHREAD_MUTEX_RECURSIVE) {
      of(mutex)->__count++;
      return 0;
    }
    if (kind(mutex) == PTHREAD_MUTEX_ERRORCHECK)
      return EDEADLK;
    __blitz_check(0, "deadlock", "pthread_mutex_lock: the thread holds the mutex itself");
    stuck_if_alone(0);
  }
  __blitz_await(is_free(mutex), "pthread_mutex_lock: the mutex is never unlocked, and all others wait");
  take(mutex);
  return 0;
}
int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
  __blitz_switch();
  _Bool own = is_own(mutex);
  int result = try_take(mutex, ETIMEDOUT);
  return result != 0 && own && kind(mutex) == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : result;
}
int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until) {
  return pthread_mutex_timedlock(mutex, until);
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  __blitz_switch();
  if (!is_own(mutex)) {
    if (kind(mutex) != PTHREAD_MUTEX_NORMAL && kind(mutex) != PTHREAD_MUTEX_ADAPTIVE_NP)
      return EPERM;
    if (__blitz_has_threads())
      __blitz_check(0, "mutex-misuse", "pthread_mutex_unlock: the thread does not hold the mutex");
    return 0;
  }
  of(mutex)->__count--;
  if (kind(mutex) != PTHREAD_MUTEX_RECURSIVE || of(mutex)->__count == 0)
    let_go(mutex);
  return 0;
}

/* For condition variables: how deep the caller holds it; it holds it no more. */
unsigned __blitz_mutex_leave(pthread_mutex_t *mutex) {
  __blitz_check(is_own(mutex), "mutex-misuse", "pthread_cond_wait: the thread does not hold the mutex");
  unsigned depth = of(mutex)->__count;
  let_go(mutex);
  return depth;
}
void __blitz_mutex_again(pthread_mutex_t *mutex, unsigned depth) {
  __blitz_switch();
  __blitz_await(is_free(mutex), "pthread_cond_wait: the mutex is never unlocked, and all others wait");
  take(mutex);
  of(mutex)->__count = depth;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
  memset(attr, 0, sizeof *attr);
  return 0;
}
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) { return 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
  if (type < 0 || type > 3)
    return EINVAL;
  attr->__align = (attr->__align & ~3) | type;
  return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict attr, int *restrict type) {
  *type = attr->__align & 3;
  return 0;
}
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) { return 0; }

/* Locks for many readers or one writer. Readers are not ordered among each other: what they release is kept apart. */
static const char *readers_of(pthread_rwlock_t *lock) { return (const char *)lock + 1; }
static int writer(void) { return __blitz_has_threads() ? self() : 1; }
static _Bool may_read(pthread_rwlock_t *lock) { return lock->__data.__cur_writer == 0; }
static _Bool may_write(pthread_rwlock_t *lock) { return may_read(lock) && lock->__data.__readers == 0; }
static void enter_reader(pthread_rwlock_t *lock) {
  lock->__data.__readers++;
  __blitz_acquire(lock);
}
static void enter_writer(pthread_rwlock_t *lock) {
  lock->__data.__cur_writer = writer();
  __blitz_acquire(lock);
  __blitz_acquire(readers_of(lock));
}

int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attr) {
  memset(lock, 0, sizeof *lock);
  return 0;
}
int pthread_rwlockattr_init(pthread_rwlockattr_t *attr) {
  memset(attr, 0, sizeof *attr);
  return 0;
}
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr) { return 0; }
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) { return 0; }
int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (__blitz_has_threads())
    __blitz_check(may_write(lock), "mutex-misuse", "pthread_rwlock_destroy: a thread holds the lock");
  return 0;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (!may_read(lock))
    return EBUSY;
  enter_reader(lock);
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (lock->__data.__cur_writer == writer())
    return EDEADLK;
  __blitz_await(may_read(lock), "pthread_rwlock_rdlock: the writer never unlocks, and all others wait");
  enter_reader(lock);
  return 0;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (!may_write(lock))
    return EBUSY;
  enter_writer(lock);
  return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (lock->__data.__cur_writer == writer())
    return EDEADLK;
  stuck_if_alone(may_write(lock));
  __blitz_await(may_write(lock), "pthread_rwlock_wrlock: the lock is never free, and all others wait");
  enter_writer(lock);
  return 0;
}
/* Limits of time have passed when the thread has its turn. */
int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until) {
  __blitz_switch();
  if (lock->__data.__cur_writer == writer())
    return EDEADLK;
  if (!may_read(lock))
    return ETIMEDOUT;
  enter_reader(lock);
  return 0;
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until) {
  __blitz_switch();
  if (lock->__data.__cur_writer == writer())
    return EDEADLK;
  if (!may_write(lock))
    return ETIMEDOUT;
  enter_writer(lock);
  return 0;
}
int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  __blitz_switch();
  if (lock->__data.__cur_writer != 0) {
    if (__blitz_has_threads())
      __blitz_check(lock->__data.__cur_writer == writer(), "mutex-misuse", "pthread_rwlock_unlock: another thread holds the lock");
    __blitz_release(lock);
    lock->__data.__cur_writer = 0;
  } else if (lock->__data.__readers != 0) {
    __blitz_release(readers_of(lock));
    lock->__data.__readers--;
  } else if (__blitz_has_threads()) {
    __blitz_check(0, "mutex-misuse", "pthread_rwlock_unlock: nobody holds the lock");
  }
  return 0;
}

/* Spinlocks are 1 when they are free. */
int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  *lock = 1;
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t *lock) { return 0; }
static void spin_take(pthread_spinlock_t *lock) {
  *lock = 0;
  __blitz_acquire((const void *)lock);
}
int pthread_spin_trylock(pthread_spinlock_t *lock) {
  __blitz_switch();
  if (*lock != 1)
    return EBUSY;
  spin_take(lock);
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t *lock) {
  __blitz_switch();
  if (!__blitz_has_threads())
    __blitz_check(*lock == 1, "deadlock", "pthread_spin_lock: the only thread holds the lock itself");
  stuck_if_alone(*lock == 1);
  __blitz_await(*lock == 1, "pthread_spin_lock: the lock is never free, and all others wait");
  spin_take(lock);
  return 0;
}
int pthread_spin_unlock(pthread_spinlock_t *lock) {
  __blitz_switch();
  __blitz_release((const void *)lock);
  *lock = 1;
  return 0;
}
