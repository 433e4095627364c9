/* The rounding mode of floating point. The front end looks for its variable: in a program that reaches it, every operation
 * rounds as it says, those in our models included. Absent: exceptions; numbers from text and as text, which are rounded to nearest and marked.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <fenv.h>

/* CBMC's name and numbers: 0 to nearest, 1 down, 2 up, 3 towards zero. The machine has the same two bits higher up. */
int __CPROVER_rounding_mode;
extern int __ESBMC_rounding_mode __attribute__((alias("__CPROVER_rounding_mode")));

enum { SHIFT = 10, ALL = 3 << SHIFT };

int fegetround(void) { return (__CPROVER_rounding_mode & 3) << SHIFT; }

int fesetround(int mode) {
  if (mode & ~ALL)
    return 1;
  __CPROVER_rounding_mode = mode >> SHIFT;
  __blitz_rounds_otherwise = mode != FE_TONEAREST;
  return 0;
}

int fegetenv(fenv_t *env) {
  *env = (fenv_t){.__control_word = (unsigned short)fegetround()};
  return 0;
}

int fesetenv(const fenv_t *env) {
  if (env == FE_DFL_ENV)
    __CPROVER_rounding_mode = 0;
  else
    __CPROVER_rounding_mode = (env->__control_word & ALL) >> SHIFT;
  __blitz_rounds_otherwise = __CPROVER_rounding_mode != 0;
  return 0;
}

int feholdexcept(fenv_t *env) { return fegetenv(env); }
int feupdateenv(const fenv_t *env) { return fesetenv(env); }
