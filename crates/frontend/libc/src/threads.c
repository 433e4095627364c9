/* <threads.h>: C11's names for the threads of POSIX.
 * direction: exact */
#define _GNU_SOURCE
#include "threads_model.h"
#include <stdint.h>
#include <threads.h>

static int result_of(int code) { return code == 0 ? thrd_success : code == EBUSY ? thrd_busy : code == ETIMEDOUT ? thrd_timedout : thrd_error; }

/* The function of a thread returns an int: it is called from one that returns a pointer. The argument is kept by thread. */
struct start {
  thrd_start_t function;
  void *arg;
};
static void *begin(void *given) {
  struct start *start = given;
  thrd_start_t function = start->function;
  void *arg = start->arg;
  __blitz_heap_free(start);
  return (void *)(intptr_t)function(arg);
}
int thrd_create(thrd_t *thread, thrd_start_t function, void *arg) {
  struct start *start = __blitz_heap_alloc(sizeof *start);
  __blitz_keep_alive(start);
  start->function = function;
  start->arg = arg;
  return result_of(pthread_create((pthread_t *)thread, NULL, begin, start));
}
int thrd_join(thrd_t thread, int *result) {
  void *value = NULL;
  int code = pthread_join((pthread_t)thread, &value);
  if (code == 0 && result != NULL)
    *result = (int)(intptr_t)value;
  return result_of(code);
}
void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
int thrd_detach(thrd_t thread) { return result_of(pthread_detach((pthread_t)thread)); }
thrd_t thrd_current(void) { return (thrd_t)self(); }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_yield(void) { __blitz_switch(); }
int thrd_sleep(const struct timespec *length, struct timespec *left) { return 0; }

int mtx_init(mtx_t *mutex, int type) {
  if ((type & ~(mtx_timed | mtx_recursive)) != 0)
    return thrd_error;
  pthread_mutex_init((pthread_mutex_t *)mutex, NULL);
  ((pthread_mutex_t *)mutex)->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
  return thrd_success;
}
int mtx_lock(mtx_t *mutex) { return result_of(pthread_mutex_lock((pthread_mutex_t *)mutex)); }
int mtx_trylock(mtx_t *mutex) { return result_of(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }
int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
  return result_of(pthread_mutex_timedlock((pthread_mutex_t *)mutex, until));
}
int mtx_unlock(mtx_t *mutex) { return result_of(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }
void mtx_destroy(mtx_t *mutex) {}
int cnd_init(cnd_t *condition) { return result_of(pthread_cond_init((pthread_cond_t *)condition, NULL)); }
int cnd_signal(cnd_t *condition) { return result_of(pthread_cond_signal((pthread_cond_t *)condition)); }
int cnd_broadcast(cnd_t *condition) { return result_of(pthread_cond_broadcast((pthread_cond_t *)condition)); }
int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return result_of(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until) {
  return result_of(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until));
}
void cnd_destroy(cnd_t *condition) {}
void call_once(once_flag *once, void (*init)(void)) { pthread_once((pthread_once_t *)once, init); }
int tss_create(tss_t *key, tss_dtor_t destroy) {
  return pthread_key_create(key, destroy) == 0 ? thrd_success : thrd_error;
}
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error; }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
