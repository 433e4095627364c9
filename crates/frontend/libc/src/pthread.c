/* <pthread.h>, <threads.h>, <semaphore.h> for programs with one thread: a lock is free unless the program holds it itself, and waiting for one that
 * it holds is being stuck for good. Creating a thread is not understood and says so.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <threads.h>

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*start)(void *),
                   void *restrict arg) {
  __blitz_unsupported("threads (pthread_create)");
}

pthread_t pthread_self(void) { return (pthread_t)1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
int pthread_join(pthread_t thread, void **result) { return ESRCH; }
int pthread_detach(pthread_t thread) { return 0; }
int pthread_cancel(pthread_t thread) { return ESRCH; }
int pthread_kill(pthread_t thread, int signal) { return raise(signal) == 0 ? 0 : errno; }
void pthread_exit(void *result) { exit(0); }
int pthread_setcancelstate(int state, int *old) { return 0; }
int pthread_setcanceltype(int type, int *old) { return 0; }
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) { return 0; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }

int pthread_attr_init(pthread_attr_t *attr) { return 0; }
int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) { return 0; }
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t n) { return 0; }

/* Mutexes: glibc's own layout, whose initialisers set the kind. */
static struct __pthread_mutex_s *of(pthread_mutex_t *mutex) { return &mutex->__data; }
static int kind(pthread_mutex_t *mutex) { return of(mutex)->__kind & 3; }

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr) {
  memset(mutex, 0, sizeof *mutex);
  if (attr != NULL)
    of(mutex)->__kind = attr->__align & 3;
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  if (of(mutex)->__lock != 0)
    return EBUSY;
  of(mutex)->__kind = -1;
  return 0;
}

/* The next time around; `busy` where it is held already and is not of the kind that counts. */
static int take(pthread_mutex_t *mutex, int busy) {
  if (of(mutex)->__lock == 0) {
    of(mutex)->__lock = 1;
    of(mutex)->__count = 1;
    return 0;
  }
  if (kind(mutex) != PTHREAD_MUTEX_RECURSIVE)
    return busy;
  of(mutex)->__count++;
  return 0;
}
int pthread_mutex_trylock(pthread_mutex_t *mutex) { return take(mutex, EBUSY); }
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int result = take(mutex, EDEADLK);
  if (result != 0 && kind(mutex) != PTHREAD_MUTEX_ERRORCHECK)
    __blitz_halt(0);
  return result;
}
int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
  int result = take(mutex, ETIMEDOUT);
  return result != 0 && kind(mutex) == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : result;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (of(mutex)->__lock == 0)
    return kind(mutex) == PTHREAD_MUTEX_NORMAL || kind(mutex) == PTHREAD_MUTEX_ADAPTIVE_NP ? 0 : EPERM;
  of(mutex)->__count--;
  if (kind(mutex) != PTHREAD_MUTEX_RECURSIVE || of(mutex)->__count == 0)
    of(mutex)->__lock = 0;
  return 0;
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

/* Locks for many readers or one writer. */
int pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attr) {
  memset(lock, 0, sizeof *lock);
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return 0; }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  if (lock->__data.__cur_writer != 0)
    return EBUSY;
  lock->__data.__readers++;
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return pthread_rwlock_tryrdlock(lock) == 0 ? 0 : EDEADLK; }
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  if (lock->__data.__cur_writer != 0 || lock->__data.__readers != 0)
    return EBUSY;
  lock->__data.__cur_writer = 1;
  return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (lock->__data.__cur_writer != 0)
    return EDEADLK;
  if (lock->__data.__readers != 0)
    __blitz_halt(0);
  return pthread_rwlock_trywrlock(lock);
}
int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  if (lock->__data.__cur_writer != 0)
    lock->__data.__cur_writer = 0;
  else if (lock->__data.__readers != 0)
    lock->__data.__readers--;
  return 0;
}
int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  *lock = 1;
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t *lock) { return 0; }
int pthread_spin_trylock(pthread_spinlock_t *lock) {
  if (*lock != 1)
    return EBUSY;
  *lock = 0;
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (pthread_spin_trylock(lock) != 0)
    __blitz_halt(0);
  return 0;
}
int pthread_spin_unlock(pthread_spinlock_t *lock) {
  *lock = 1;
  return 0;
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attr) { return 0; }
int pthread_cond_destroy(pthread_cond_t *cond) { return 0; }
int pthread_cond_signal(pthread_cond_t *cond) { return 0; }
int pthread_cond_broadcast(pthread_cond_t *cond) { return 0; }
/* Nobody else could ever signal: the program is stuck. */
int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex) { __blitz_halt(0); }
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  return ETIMEDOUT;
}

int pthread_once(pthread_once_t *once, void (*init)(void)) {
  if (*once == 0) {
    *once = 1;
    init();
  }
  return 0;
}

/* Thread-specific data of the only thread. */
enum { KEYS = 64 };
static const void *values[KEYS];
static unsigned next_key;

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  if (next_key >= KEYS)
    return EAGAIN;
  *key = next_key++;
  return 0;
}
int pthread_key_delete(pthread_key_t key) { return key < next_key ? 0 : EINVAL; }
void *pthread_getspecific(pthread_key_t key) { return key < KEYS ? (void *)values[key] : NULL; }
int pthread_setspecific(pthread_key_t key, const void *value) {
  if (key >= KEYS)
    return EINVAL;
  values[key] = value;
  return 0;
}

/* Semaphores: the value is the first word, as in glibc's. */
static unsigned *value_of(sem_t *sem) { return (unsigned *)sem; }

int sem_init(sem_t *sem, int shared, unsigned value) {
  if (value > INT_MAX)
    return fail(EINVAL);
  memset(sem, 0, sizeof *sem);
  *value_of(sem) = value;
  return 0;
}
int sem_destroy(sem_t *sem) { return 0; }
int sem_post(sem_t *sem) {
  if (*value_of(sem) == INT_MAX)
    return fail(EOVERFLOW);
  ++*value_of(sem);
  return 0;
}
int sem_trywait(sem_t *sem) {
  if (*value_of(sem) == 0)
    return fail(EAGAIN);
  --*value_of(sem);
  return 0;
}
int sem_wait(sem_t *sem) {
  if (*value_of(sem) == 0)
    __blitz_halt(0);
  return sem_trywait(sem);
}
int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until) {
  return *value_of(sem) == 0 ? fail(ETIMEDOUT) : sem_trywait(sem);
}
int sem_getvalue(sem_t *restrict sem, int *restrict value) {
  *value = (int)*value_of(sem);
  return 0;
}

/* The same under C11's names. */
static int result_of(int code) { return code == 0 ? thrd_success : code == EBUSY ? thrd_busy : code == ETIMEDOUT ? thrd_timedout : thrd_error; }
int mtx_init(mtx_t *mutex, int type) {
  if ((type & ~(mtx_timed | mtx_recursive)) != 0)
    return thrd_error;
  pthread_mutex_init((pthread_mutex_t *)mutex, NULL);
  of((pthread_mutex_t *)mutex)->__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
  return thrd_success;
}
int mtx_lock(mtx_t *mutex) { return result_of(pthread_mutex_lock((pthread_mutex_t *)mutex)); }
int mtx_trylock(mtx_t *mutex) { return result_of(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }
int mtx_unlock(mtx_t *mutex) { return result_of(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }
void mtx_destroy(mtx_t *mutex) {}
int cnd_init(cnd_t *condition) { return thrd_success; }
int cnd_signal(cnd_t *condition) { return thrd_success; }
int cnd_broadcast(cnd_t *condition) { return thrd_success; }
void cnd_destroy(cnd_t *condition) {}
void call_once(once_flag *once, void (*init)(void)) { pthread_once((pthread_once_t *)once, init); }
int tss_create(tss_t *key, tss_dtor_t destroy) {
  return pthread_key_create(key, destroy) == 0 ? thrd_success : thrd_error;
}
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error; }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
thrd_t thrd_current(void) { return (thrd_t)1; }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_yield(void) {}
