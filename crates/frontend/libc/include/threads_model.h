/* What the models of threads share. */
#ifndef THREADS_MODEL_H
#define THREADS_MODEL_H

#include "libc.h"
#include <pthread.h>

/* The calling thread, from 1 on, so that 0 is nobody. */
static inline int self(void) { return __blitz_thread_self() + 1; }

/* Where a program starts no thread, nobody could ever change what it waits for: it is stuck. */
static inline void stuck_if_alone(_Bool cond) {
  if (!__blitz_has_threads() && !cond)
    __blitz_halt(0);
}

/* Ends the calling thread, with its thread-specific data; the last one ends the program. */
_Noreturn void __blitz_leave_thread(void *result);

#endif
