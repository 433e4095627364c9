/* Processes on the host: only our own can be had.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t fork(void) { return fail(EAGAIN); }
pid_t vfork(void) { return fail(EAGAIN); }
pid_t __fork(void) { return fail(EAGAIN); }
int execve(const char *path, char *const argv[], char *const envp[]) { return fail(EACCES); }
int execv(const char *path, char *const argv[]) { return fail(EACCES); }
int execvp(const char *path, char *const argv[]) { return fail(EACCES); }
int execvpe(const char *path, char *const argv[], char *const envp[]) { return fail(EACCES); }
int execl(const char *path, const char *arg, ...) { return fail(EACCES); }
int execlp(const char *path, const char *arg, ...) { return fail(EACCES); }
int execle(const char *path, const char *arg, ...) { return fail(EACCES); }
pid_t wait(int *status) { return fail(ECHILD); }
pid_t waitpid(pid_t pid, int *status, int options) { return fail(ECHILD); }
pid_t wait3(int *status, int options, struct rusage *usage) { return fail(ECHILD); }
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) { return fail(ECHILD); }
int __blitz_open_command(int reads) { return fail(EAGAIN); }
int __blitz_command_status(void) { return -1; }
int system(const char *command) { return command == NULL ? 0 : fail(EAGAIN); }

static long id(int which) { return __blitz_host(HOST_GETID, which, 0, 0, 0, 0, 0); }

pid_t getpid(void) { return (pid_t)__blitz_host(HOST_GETPID, 0, 0, 0, 0, 0, 0); }
pid_t getppid(void) { return (pid_t)id(4); }
uid_t getuid(void) { return (uid_t)id(0); }
uid_t geteuid(void) { return (uid_t)id(1); }
gid_t getgid(void) { return (gid_t)id(2); }
gid_t getegid(void) { return (gid_t)id(3); }

int kill(pid_t pid, int signal) {
  if (pid != getpid() && pid != 0)
    return fail(EPERM);
  return signal == 0 ? 0 : raise(signal);
}

ssize_t getrandom(void *p, size_t n, unsigned flags) {
  __blitz_check_write(p, n);
  return checked(__blitz_host(HOST_RANDOM, (long)p, (long)n, 0, 0, 0, 0));
}

clock_t times(struct tms *out) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  clock_t ticks = (clock_t)(now.tv_sec * 100 + now.tv_nsec / 10000000);
  if (out != NULL)
    *out = (struct tms){.tms_utime = ticks};
  return ticks;
}

/* Rights may be given up but not won. */
static int change_id(id_t wanted, id_t current) { return wanted == current ? 0 : fail(EPERM); }
int setuid(uid_t id) { return change_id(id, getuid()); }
int seteuid(uid_t id) { return change_id(id, getuid()); }
int setgid(gid_t id) { return change_id(id, getgid()); }
int setegid(gid_t id) { return change_id(id, getgid()); }
int setreuid(uid_t real, uid_t effective) {
  return 0;
}
int setregid(gid_t real, gid_t effective) {
  return 0;
}
int setresuid(uid_t real, uid_t effective, uid_t saved) {
  return 0;
}
int setresgid(gid_t real, gid_t effective, gid_t saved) {
  return 0;
}
int getresuid(uid_t *real, uid_t *effective, uid_t *saved) {
  *real = *effective = *saved = getuid();
  return 0;
}
int getresgid(gid_t *real, gid_t *effective, gid_t *saved) {
  *real = *effective = *saved = getgid();
  return 0;
}
