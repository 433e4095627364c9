/* <signal.h>: handlers, masks and signals that wait, for what the program raises itself.
 *
 * direction: exact
 * A handler runs inside raise, as the standard has it; a signal that is blocked waits, once. Signals that only others send never arrive: setting a handler
 * for one that is not the program's own doing (SIGABRT, SIGFPE, SIGSEGV, ... are) leaves those runs out. */
#define _GNU_SOURCE
#include "libc.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static struct sigaction actions[_NSIG];
/* What the program blocks; what is blocked while handlers run; what waits. One bit per signal from 1 on. */
static uint64_t mask, handling, waiting;

static int valid(int signal) { return signal > 0 && signal < _NSIG; }
static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static uint64_t bits_of(const sigset_t *set) {
  uint64_t bits;
  memcpy(&bits, set, sizeof bits);
  return bits;
}

static void to_set(sigset_t *set, uint64_t bits) {
  memset(set, 0, sizeof *set);
  memcpy(set, &bits, sizeof bits);
}

/* abort unblocks its signal first. */
static void abort_handler(void) {
  mask &= ~bit(SIGABRT);
  raise(SIGABRT);
}
extern void (*__blitz_on_abort)(void);

/* After a change of what happens on a signal. */
static void changed(int number) {
  sighandler_t handler = actions[number].sa_handler;
  if (number == SIGABRT)
    __blitz_on_abort = abort_handler;
  if (handler == SIG_IGN)
    waiting &= ~bit(number);
  int own = number == SIGABRT || number == SIGFPE || number == SIGSEGV || number == SIGILL || number == SIGBUS || number == SIGTRAP || number == SIGSYS;
  if (!own && handler != SIG_IGN && handler != SIG_DFL)
    __blitz_fewer("signal: signals that others send");
}

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  if (!valid(signal) || (action != NULL && (signal == SIGKILL || signal == SIGSTOP)))
    return fail(EINVAL);
  if (old != NULL)
    *old = actions[signal];
  if (action != NULL) {
    actions[signal] = *action;
    changed(signal);
  }
  return 0;
}

int __sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  return sigaction(signal, action, old);
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags) {
  if (!valid(number) || number == SIGKILL || number == SIGSTOP || handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sighandler_t before = actions[number].sa_handler;
  memset(&actions[number], 0, sizeof actions[number]);
  actions[number].sa_handler = handler;
  actions[number].sa_flags = flags;
  changed(number);
  return before;
}

sighandler_t signal(int number, sighandler_t handler) { return set_handler(number, handler, SA_RESTART); }
sighandler_t bsd_signal(int number, sighandler_t handler) { return signal(number, handler); }
/* System V: the handler is gone when it runs, and its signal is not blocked meanwhile. */
sighandler_t sysv_signal(int number, sighandler_t handler) { return set_handler(number, handler, SA_RESETHAND | SA_NODEFER); }
sighandler_t __sysv_signal(int number, sighandler_t handler) { return sysv_signal(number, handler); }

sighandler_t sigset(int number, sighandler_t handler) {
  if (!valid(number) || handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sighandler_t before = mask & bit(number) ? SIG_HOLD : actions[number].sa_handler;
  if (handler == SIG_HOLD) {
    mask |= bit(number);
    return before;
  }
  if (set_handler(number, handler, 0) == SIG_ERR)
    return SIG_ERR;
  mask &= ~bit(number);
  return before;
}
int siginterrupt(int number, int flag) { return valid(number) ? 0 : fail(EINVAL); }
int sigignore(int number) { return set_handler(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0; }

/* Stopped processes count as ones that go on: a prefix of their runs is no run of its own. */
static int ignored_by_default(int number) {
  return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH || number == SIGSTOP ||
         number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* The handler that runs, by an object of its activation: after a jump out of it the object is gone, and nobody knows what is blocked. */
static char *running;
static _Bool left_by_jump;

static _Bool in_a_handler(void) { return !left_by_jump && running != NULL && __blitz_is_live(running); }

static void deliver(int number) {
  char here = 0, *outer = running;
  struct sigaction action = actions[number];
  if (action.sa_handler == SIG_IGN)
    return;
  if (action.sa_handler == SIG_DFL) {
    if (!ignored_by_default(number))
      __blitz_halt(128 + number);
    return;
  }
  if (action.sa_flags & SA_RESETHAND)
    actions[number].sa_handler = SIG_DFL;
  if (outer != NULL && !__blitz_is_live(outer))
    left_by_jump = 1;
  running = &here;
  uint64_t before = handling;
  handling |= bits_of(&action.sa_mask) | (action.sa_flags & SA_NODEFER ? 0 : bit(number));
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    info.si_code = SI_TKILL;
    info.si_pid = getpid();
    info.si_uid = getuid();
    action.sa_sigaction(number, &info, NULL);
  } else {
    action.sa_handler(number);
  }
  handling = before;
  running = outer;
}

/* What waits and is not blocked any more, lowest number first. */
static int deliver_waiting(void) {
  int count = 0;
  uint64_t ready = waiting & ~(mask | handling);
  if (ready & (ready - 1)) {
    __blitz_fewer("sigprocmask: the order of several signals that waited");
    __blitz_more("sigprocmask: the order of several signals that waited");
  }
  for (int number = 1; number < _NSIG && (waiting & ~(mask | handling)) != 0; number++)
    if (waiting & ~(mask | handling) & bit(number)) {
      waiting &= ~bit(number);
      deliver(number);
      count++;
      number = 0; /* it may wait again */
    }
  return count;
}

/* A jump out of a handler may leave its signal blocked or not, as its setjmp said: which is not known here. */
int raise(int number) {
  if (number == 0)
    return 0;
  if (!valid(number))
    return fail(EINVAL);
  if (number == SIGKILL)
    __blitz_halt(128 + number);
  if (mask & bit(number) || (handling & bit(number) && in_a_handler())) {
    if (actions[number].sa_handler != SIG_IGN)
      waiting |= bit(number);
    return 0;
  }
  if (handling & bit(number)) {
    __blitz_fewer("raise: a signal that a handler blocked before a jump out of it");
    __blitz_more("raise: a signal that a handler blocked before a jump out of it");
  }
  deliver(number);
  if (waiting != 0)
    deliver_waiting();
  return 0;
}

int gsignal(int number) { return raise(number); }
int killpg(pid_t group, int number) { return kill(0, number); }

/* Sets of signals: one bit each, in the first word(s). */
static const unsigned WORD = 8 * sizeof(unsigned long);

int sigemptyset(sigset_t *set) {
  memset(set, 0, sizeof *set);
  return 0;
}

int sigfillset(sigset_t *set) {
  memset(set, 0xff, sizeof *set);
  return 0;
}

int sigaddset(sigset_t *set, int number) {
  if (!valid(number))
    return fail(EINVAL);
  set->__val[(unsigned)(number - 1) / WORD] |= 1ul << ((unsigned)(number - 1) % WORD);
  return 0;
}

int sigdelset(sigset_t *set, int number) {
  if (!valid(number))
    return fail(EINVAL);
  set->__val[(unsigned)(number - 1) / WORD] &= ~(1ul << ((unsigned)(number - 1) % WORD));
  return 0;
}

int sigismember(const sigset_t *set, int number) {
  if (!valid(number))
    return fail(EINVAL);
  return (int)(set->__val[(unsigned)(number - 1) / WORD] >> ((unsigned)(number - 1) % WORD) & 1);
}

static uint64_t blockable(uint64_t bits) { return bits & ~(bit(SIGKILL) | bit(SIGSTOP)); }

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  uint64_t before = mask | handling;
  if (set != NULL) {
    uint64_t bits = blockable(bits_of(set));
    if (how == SIG_BLOCK) {
      mask |= bits;
    } else if (how == SIG_UNBLOCK) {
      mask &= ~bits;
      handling &= ~bits;
    } else if (how == SIG_SETMASK) {
      mask = bits;
      handling = 0;
    } else {
      return fail(EINVAL);
    }
  }
  if (old != NULL)
    to_set(old, before);
  if (waiting != 0)
    deliver_waiting();
  return 0;
}

/* Gives the error instead of setting errno. */
int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  int code = errno, result = sigprocmask(how, set, old);
  if (result == 0)
    return 0;
  result = errno;
  errno = code;
  return result;
}

int sigpending(sigset_t *set) {
  to_set(set, waiting);
  return 0;
}
static int change_mask(int how, int bits) {
  int before = (int)(uint32_t)(mask | handling);
  mask = blockable(how == SIG_BLOCK ? mask | (uint32_t)bits : (mask & ~(uint64_t)0xffffffff) | (uint32_t)bits);
  if (waiting != 0)
    deliver_waiting();
  return before;
}
int sigblock(int bits) { return change_mask(SIG_BLOCK, bits); }
int sigsetmask(int bits) { return change_mask(SIG_SETMASK, bits); }
int sighold(int number) { return valid(number) ? (mask |= blockable(bit(number)), 0) : fail(EINVAL); }
int sigrelse(int number) {
  if (!valid(number))
    return fail(EINVAL);
  mask &= ~bit(number);
  if (waiting != 0)
    deliver_waiting();
  return 0;
}
int sigaltstack(const stack_t *restrict stack, stack_t *restrict old) {
  static stack_t current = {.ss_flags = SS_DISABLE};
  if (old != NULL)
    *old = current;
  if (stack != NULL)
    current = *stack;
  return 0;
}

/* Seconds until the alarm; it rings only where the program waits for it. */
static unsigned armed;

/* direction: fewer, the signal comes only where the program waits for it, and no time passes before */
unsigned alarm(unsigned seconds) {
  unsigned before = armed;
  armed = seconds;
  if (seconds != 0)
    __blitz_fewer("alarm: the signal comes where the program waits, not before");
  return before;
}
/* direction: fewer, as alarm */
useconds_t ualarm(useconds_t value, useconds_t interval) {
  __blitz_fewer("ualarm: the signal never comes");
  return 0;
}

/* Waiting: for what waits or for the alarm; else the program is stuck for good. */
static int wait_for_signal(void) {
  if (deliver_waiting() == 0) {
    if (armed == 0)
      __blitz_halt(0);
    armed = 0;
    deliver(SIGALRM);
  }
  return fail(EINTR);
}
int pause(void) { return wait_for_signal(); }
int sigsuspend(const sigset_t *set) {
  uint64_t before = mask;
  mask = blockable(bits_of(set));
  wait_for_signal();
  mask = before;
  return fail(EINTR);
}
int sigwait(const sigset_t *restrict set, int *restrict number) {
  uint64_t ready = waiting & bits_of(set);
  if (ready == 0)
    __blitz_halt(0);
  int first = __builtin_ctzll(ready) + 1;
  waiting &= ~bit(first);
  *number = first;
  return 0;
}

static struct itimerval timers[3];

/* direction: fewer, the signal never comes */
int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old) {
  if ((unsigned)which > 2)
    return fail(EINVAL);
  if (old != NULL)
    *old = timers[which];
  if (value != NULL)
    timers[which] = *value;
  if (value != NULL && (value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0))
    __blitz_fewer("setitimer: the signal never comes");
  return 0;
}

int getitimer(__itimer_which_t which, struct itimerval *value) {
  if ((unsigned)which > 2)
    return fail(EINVAL);
  *value = timers[which];
  return 0;
}

static const char *const names[32] = {
    [SIGHUP] = "Hangup", [SIGINT] = "Interrupt", [SIGQUIT] = "Quit", [SIGILL] = "Illegal instruction", [SIGTRAP] = "Trace/breakpoint trap",
    [SIGABRT] = "Aborted", [SIGBUS] = "Bus error", [SIGFPE] = "Floating point exception", [SIGKILL] = "Killed", [SIGUSR1] = "User defined signal 1",
    [SIGSEGV] = "Segmentation fault", [SIGUSR2] = "User defined signal 2", [SIGPIPE] = "Broken pipe", [SIGALRM] = "Alarm clock", [SIGTERM] = "Terminated",
    [SIGSTKFLT] = "Stack fault", [SIGCHLD] = "Child exited", [SIGCONT] = "Continued", [SIGSTOP] = "Stopped (signal)", [SIGTSTP] = "Stopped",
    [SIGTTIN] = "Stopped (tty input)", [SIGTTOU] = "Stopped (tty output)", [SIGURG] = "Urgent I/O condition", [SIGXCPU] = "CPU time limit exceeded",
    [SIGXFSZ] = "File size limit exceeded", [SIGVTALRM] = "Virtual timer expired", [SIGPROF] = "Profiling timer expired", [SIGWINCH] = "Window changed",
    [SIGIO] = "I/O possible", [SIGPWR] = "Power failure", [SIGSYS] = "Bad system call"};

char *strsignal(int number) {
  static char text[32];
  if (number > 0 && number < 32)
    return (char *)names[number];
  if (number >= 34 && number <= 64)
    snprintf(text, sizeof text, "Real-time signal %d", number - 34);
  else
    snprintf(text, sizeof text, "Unknown signal %d", number);
  return text;
}

void psignal(int number, const char *s) {
  if (s != NULL && *s != 0)
    fprintf(stderr, "%s: %s\n", s, strsignal(number));
  else
    fprintf(stderr, "%s\n", strsignal(number));
}

const char *const sys_siglist[_NSIG];
