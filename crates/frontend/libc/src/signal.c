/* <signal.h>: handlers are remembered, and run when the program raises a signal itself. Signals from outside are
 * not modelled: none ever arrives. */
#define _GNU_SOURCE
#include "libc.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static struct sigaction actions[_NSIG];

static int valid(int signal) { return signal > 0 && signal < _NSIG; }

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  if (!valid(signal) || (action != NULL && (signal == SIGKILL || signal == SIGSTOP)))
    return fail(EINVAL);
  if (old != NULL)
    *old = actions[signal];
  if (action != NULL)
    actions[signal] = *action;
  return 0;
}

int __sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old) {
  return sigaction(signal, action, old);
}

sighandler_t signal(int number, sighandler_t handler) {
  if (!valid(number)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  sighandler_t before = actions[number].sa_handler;
  memset(&actions[number], 0, sizeof actions[number]);
  actions[number].sa_handler = handler;
  return before;
}

sighandler_t bsd_signal(int number, sighandler_t handler) { return signal(number, handler); }
sighandler_t sysv_signal(int number, sighandler_t handler) { return signal(number, handler); }
sighandler_t __sysv_signal(int number, sighandler_t handler) { return signal(number, handler); }
sighandler_t sigset(int number, sighandler_t handler) { return signal(number, handler); }
int siginterrupt(int number, int flag) { return 0; }
int sigignore(int number) { return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0; }

static int ignored_by_default(int number) {
  return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH || number == SIGSTOP ||
         number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

int raise(int number) {
  if (!valid(number))
    return fail(EINVAL);
  struct sigaction *action = &actions[number];
  if (action->sa_handler == SIG_IGN)
    return 0;
  if (action->sa_handler == SIG_DFL) {
    if (ignored_by_default(number))
      return 0;
    __blitz_halt(128 + number);
  }
  if (action->sa_flags & SA_SIGINFO) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    action->sa_sigaction(number, &info, NULL);
  } else {
    action->sa_handler(number);
  }
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

static sigset_t mask;

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  if (old != NULL)
    *old = mask;
  if (set != NULL) {
    for (size_t i = 0; i < sizeof mask.__val / sizeof mask.__val[0]; i++)
      mask.__val[i] = how == SIG_SETMASK ? set->__val[i]
                      : how == SIG_BLOCK ? mask.__val[i] | set->__val[i]
                                         : mask.__val[i] & ~set->__val[i];
  }
  return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) { return sigprocmask(how, set, old); }
int sigpending(sigset_t *set) { return sigemptyset(set); }
int sigblock(int bits) { return 0; }
int sigsetmask(int bits) { return 0; }
int sigaltstack(const stack_t *restrict stack, stack_t *restrict old) { return 0; }

/* Waiting for a signal that never comes: the program is stuck for good. */
int sigsuspend(const sigset_t *set) { __blitz_halt(0); }
int pause(void) { __blitz_halt(0); }
int sigwait(const sigset_t *restrict set, int *restrict number) { __blitz_halt(0); }

unsigned alarm(unsigned seconds) { return 0; }
useconds_t ualarm(useconds_t value, useconds_t interval) { return 0; }

int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old) {
  if (old != NULL)
    memset(old, 0, sizeof *old);
  return 0;
}

int getitimer(__itimer_which_t which, struct itimerval *value) {
  memset(value, 0, sizeof *value);
  return 0;
}

char *strsignal(int number) {
  static char text[32];
  snprintf(text, sizeof text, "Signal %d", number);
  return text;
}

void psignal(int number, const char *s) { fprintf(stderr, "%s: %s\n", s ? s : "", strsignal(number)); }

const char *const sys_siglist[_NSIG];
