/* The entry of a program in the modelled environment: any arguments.
 *
 * The number of arguments, their lengths and their bytes are inputs. Each argument is an object of exactly its own
 * size on the stack, filled in bulk: a long one costs no more than a short one. argv[0] is fixed, since a replay
 * runs the program under a name of ours. A program that looks at `environ` sees up to two variables; others have the inputs of getenv (env.c) alone.
 * direction: exact up to 4 arguments of up to 128 KiB; more variables than two are left out */
#define _GNU_SOURCE
#include "model.h"
#include <alloca.h>
#include <string.h>
#include <unistd.h>

const int __blitz_model = 1;
/* How many arguments there may be beyond argv[0]. */
__attribute__((weak)) const int __blitz_argv_max = 4;
/* How many there are at least, and how long each may be, by its place; `blitz explore --sym-args` sets all three. */
__attribute__((weak)) const int __blitz_argv_min = 0;
__attribute__((weak)) const unsigned __blitz_argv_longest[14] = {[0 ... 13] = -1u};
/* Whether options stand anywhere among the arguments and letters are grouped (getopt.c); `blitz explore` sets it. */
__attribute__((weak)) const int __blitz_argv_anyhow = 0;
/* Whether paths are followed one by one; `blitz explore` and `blitz fuzz` set it. */
__attribute__((weak)) const int __blitz_by_path = 0;
/* No variable of the environment is set, and the locale is "C"; `blitz explore --no-environment` sets it. */
__attribute__((weak)) const int __blitz_no_environment = 0;

static char *no_environment[1];
char **environ = no_environment;
char *program_invocation_name = "./program";
char *program_invocation_short_name = "program";
char *__progname = "program";

/* Linux refuses an argument of 128 KiB; a 32-bit pointer's offset has less room. */
#if __SIZEOF_POINTER__ == 8
enum { LONGEST = 131071 };
#else
enum { LONGEST = 65535 };
#endif

/* One argument, if there are that many, or the null after the last: in this function's frame, which outlives main.
 * Places in argv are constants: what argv[0] is must not hang on how many arguments there are. */
#define ARGUMENT(i)                                                                                                    \
  if (i <= __blitz_argv_max && i < argc) {                                                                             \
    size_t n = __blitz_input_size("argv[" #i "] length");                                                              \
    __blitz_assume(n <= LONGEST && n <= __blitz_argv_longest[i]);                                                      \
    n = __blitz_fit(n, __blitz_argv_longest[i] < LONGEST ? __blitz_argv_longest[i] : LONGEST);                         \
    char *text = alloca(n + 1);                                                                                        \
    __blitz_input_bytes(text, n, "argv[" #i "]");                                                                      \
    text[n] = 0;                                                                                                       \
    __blitz_assume(__blitz_scan(text, 0, n) == n);                                                                     \
    argv[i] = text;                                                                                                    \
  } else if (i == argc) {                                                                                              \
    argv[i] = NULL;                                                                                                    \
  }

/* One variable, any text with a name, if there are that many; also in this function's frame. */
#define VARIABLE(i)                                                                                                    \
  if (i < variables) {                                                                                                 \
    size_t n = __blitz_input_size("environ[" #i "] length");                                                           \
    __blitz_assume(n >= 2 && n <= LONGEST);                                                                            \
    n = __blitz_fit(n, LONGEST);                                                                                       \
    char *text = alloca(n + 1);                                                                                        \
    __blitz_input_bytes(text, n, "environ[" #i "]");                                                                   \
    text[n] = 0;                                                                                                       \
    size_t name = __blitz_scan(text, '=', n);                                                                          \
    __blitz_assume(__blitz_scan(text, 0, n) == n && name > 0 && name < n);                                             \
    vector[i] = text;                                                                                                  \
  } else if (i == variables) {                                                                                         \
    vector[i] = NULL;                                                                                                  \
  }

#define ENVIRONMENT                                                                                                    \
  if (__blitz_walks_environment()) {                                                                                   \
    __blitz_fewer("environ: more than 2 variables");                                                                   \
    int variables = __blitz_input_int("environ count");                                                                \
    __blitz_assume(variables >= 0 && variables <= (__blitz_no_environment ? 0 : 2));                                   \
    char **vector = alloca(3 * sizeof *vector);                                                                        \
    VARIABLE(0)                                                                                                        \
    VARIABLE(1)                                                                                                        \
    vector[2] = NULL;                                                                                                  \
    environ = vector;                                                                                                  \
  }

/* Streams of the model have no buffer. */
void __blitz_finish(void) {}

int __blitz_entry(void) {
  static char name[] = "./program";
  ENVIRONMENT
  if (!__blitz_main_takes_arguments()) {
    __blitz_run_constructors();
    exit(__blitz_user_main(0, NULL, NULL));
  }
  int argc = __blitz_input_int("argc");
  __blitz_assume(argc >= 1 + __blitz_argv_min && argc <= 1 + __blitz_argv_max);
  char **argv = alloca(((size_t)argc + 1) * sizeof *argv);
  argv[0] = name;
  ARGUMENT(1)
  ARGUMENT(2)
  ARGUMENT(3)
  ARGUMENT(4)
  ARGUMENT(5)
  ARGUMENT(6)
  ARGUMENT(7)
  ARGUMENT(8)
  ARGUMENT(9)
  ARGUMENT(10)
  ARGUMENT(11)
  ARGUMENT(12)
  ARGUMENT(13)
  __blitz_run_constructors();
  exit(__blitz_user_main(argc, argv, environ));
}
