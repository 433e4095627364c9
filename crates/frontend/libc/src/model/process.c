/* Processes in the modelled environment.
 *
 * fork is a choice: it fails, or the program goes on as the parent, or as the child. exec either fails or the program
 * is no more. A child that was waited for ended in any way.
 * direction: exact, but for errors that have no input */
#define _GNU_SOURCE
#include "model.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int children;

pid_t __blitz_new_child(void) { return 1000 + ++children; }

pid_t fork(void) {
  int result = __blitz_input_int("fork");
  __blitz_assume(result >= -1 && result <= 1);
  if (result < 0)
    return fail(EAGAIN);
  if (result == 0) {
    children = 0;
    return 0;
  }
  return __blitz_new_child();
}

pid_t vfork(void) { return fork(); }
pid_t __fork(void) { return fork(); }

/* After a successful exec nothing of this program is left. */
static int execute(const char *path) {
  __blitz_check_string(path);
  int code = CHOICE("exec fails", ENOENT, EACCES);
  if (code == 0)
    __blitz_halt(0);
  return fail(code);
}

static void check_vector(char *const argv[]) {
  for (int i = 0; argv[i] != NULL; i++) {
    CUT(i, 64, "exec with more than 64 arguments");
    __blitz_check_string(argv[i]);
  }
}

int execve(const char *path, char *const argv[], char *const envp[]) {
  check_vector(argv);
  return execute(path);
}
int execv(const char *path, char *const argv[]) {
  check_vector(argv);
  return execute(path);
}
int execvp(const char *path, char *const argv[]) {
  check_vector(argv);
  return execute(path);
}
int execvpe(const char *path, char *const argv[], char *const envp[]) {
  check_vector(argv);
  return execute(path);
}
int execl(const char *path, const char *arg, ...) { return execute(path); }
int execlp(const char *path, const char *arg, ...) { return execute(path); }
int execle(const char *path, const char *arg, ...) { return execute(path); }

int __blitz_command_status(void) {
  int status = __blitz_input_u16("exit status");
  __blitz_assume((status & 0x7f) == 0 || (status & 0xff7f) == SIGKILL);
  return status;
}

static pid_t wait_any(pid_t pid, int *status, int options) {
  if (children == 0)
    return fail(ECHILD);
  if (options & WNOHANG && __blitz_input_bool("child still runs"))
    return 0;
  pid_t ended = pid > 0 ? pid : 1000 + children;
  children--;
  int how = __blitz_command_status();
  if (status != NULL)
    *status = how;
  return ended;
}

pid_t wait(int *status) { return wait_any(-1, status, 0); }
pid_t waitpid(pid_t pid, int *status, int options) { return wait_any(pid, status, options); }
pid_t wait3(int *status, int options, struct rusage *usage) { return wait_any(-1, status, options); }
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) { return wait_any(pid, status, options); }

int __blitz_open_command(int reads) {
  if (__blitz_input_bool("popen fails"))
    return fail(EAGAIN);
  return __blitz_new_fd(__blitz_new_file(reads ? KIND_SOCKET : KIND_SINK, reads ? O_RDONLY : O_WRONLY));
}

int system(const char *command) {
  if (command == NULL)
    return 1;
  __blitz_check_string(command);
  return __blitz_command_status();
}

/* Who we are does not change. Numbers of processes are like any others. */
pid_t getpid(void) { return 4242; }
pid_t getppid(void) { return 4241; }
/* direction: fewer, one ordinary user */
uid_t getuid(void) {
  __blitz_fewer("getuid: users other than 1000");
  return 1000;
}
uid_t geteuid(void) {
  __blitz_fewer("geteuid: users other than 1000");
  return 1000;
}
gid_t getgid(void) {
  __blitz_fewer("getgid: groups other than 1000");
  return 1000;
}
gid_t getegid(void) {
  __blitz_fewer("getegid: groups other than 1000");
  return 1000;
}

/* Signals to other processes get lost. */
int kill(pid_t pid, int signal) { return signal == 0 || (pid != 4242 && pid != 0) ? 0 : raise(signal); }

ssize_t getrandom(void *p, size_t n, unsigned flags) {
  __blitz_check_write(p, n);
  __blitz_input_bytes(p, n, "random");
  return (ssize_t)n;
}

clock_t times(struct tms *out) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (out != NULL)
    *out = (struct tms){0};
  return (clock_t)now.tv_sec * 100;
}
