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

/* Who we are: inputs, which stay what they were until the program changes them. */
static struct id {
  _Bool known;
  id_t value;
} real_user, user, real_group, group, process, parent;

pid_t __blitz_new_child(void) { return 1000 + ++children; }

pid_t fork(void) {
  int result = __blitz_input_int("fork");
  __blitz_assume(result >= -1 && result <= 1);
  if (result < 0)
    return fail(EAGAIN);
  if (result == 0) {
    children = 0;
    getpid();
    parent = process;
    process.known = 0;
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
  __blitz_assume((status & 0xff) == 0 || status == SIGKILL || status == (SIGSEGV | 0x80));
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

static id_t ask(struct id *id, id_t first) {
  if (!id->known)
    *id = (struct id){1, first};
  return id->value;
}
/* A run that was given no number takes the smallest. */
static id_t some_process(id_t number) {
  if (!__blitz_open(number) && number == 0)
    number = 2;
  __blitz_assume(number >= 2 && number <= 4194304);
  return number;
}

pid_t getpid(void) { return (pid_t)(process.known ? process.value : ask(&process, some_process(__blitz_input_u32("pid")))); }
pid_t getppid(void) { return (pid_t)(parent.known ? parent.value : ask(&parent, some_process(__blitz_input_u32("parent pid")))); }
uid_t getuid(void) { return real_user.known ? real_user.value : ask(&real_user, __blitz_input_u32("uid")); }
uid_t geteuid(void) { return user.known ? user.value : ask(&user, __blitz_input_u32("euid")); }
gid_t getgid(void) { return real_group.known ? real_group.value : ask(&real_group, __blitz_input_u32("gid")); }
gid_t getegid(void) { return group.known ? group.value : ask(&group, __blitz_input_u32("egid")); }

/* A change is refused, or done. What was saved is not followed: to win back what was given up may be refused or not. */
static int change(struct id *real, struct id *effective, id_t new_real, id_t new_effective) {
  int code = CHOICE("id change fails", EPERM, EAGAIN);
  if (code != 0)
    return fail(code);
  if (geteuid() != 0 && ((new_real != (id_t)-1 && new_real != getuid() && new_real != geteuid()) || (new_effective != (id_t)-1 && new_effective != getuid() && new_effective != geteuid())))
    __blitz_more("setuid: an ordinary process may become anybody");
  if (new_real != (id_t)-1)
    *real = (struct id){1, new_real};
  if (new_effective != (id_t)-1)
    *effective = (struct id){1, new_effective};
  return 0;
}
int setuid(uid_t id) {
  /* Only the superuser changes the first of the two. */
  id_t now = geteuid();
  return id == (uid_t)-1 ? fail(EINVAL) : change(&real_user, &user, now == 0 ? id : (id_t)-1, id);
}
int setgid(gid_t id) {
  id_t now = geteuid();
  return id == (gid_t)-1 ? fail(EINVAL) : change(&real_group, &group, now == 0 ? id : (id_t)-1, id);
}
int seteuid(uid_t id) { return id == (uid_t)-1 ? fail(EINVAL) : change(&real_user, &user, (id_t)-1, id); }
int setegid(gid_t id) { return id == (gid_t)-1 ? fail(EINVAL) : change(&real_group, &group, (id_t)-1, id); }
int setreuid(uid_t real, uid_t effective) { return change(&real_user, &user, real, effective); }
int setregid(gid_t real, gid_t effective) { return change(&real_group, &group, real, effective); }
int setresuid(uid_t real, uid_t effective, uid_t saved) { return change(&real_user, &user, real, effective); }
int setresgid(gid_t real, gid_t effective, gid_t saved) { return change(&real_group, &group, real, effective); }
int getresuid(uid_t *real, uid_t *effective, uid_t *saved) {
  *real = getuid();
  *effective = geteuid();
  *saved = __blitz_input_u32("saved uid");
  return 0;
}
int getresgid(gid_t *real, gid_t *effective, gid_t *saved) {
  *real = getgid();
  *effective = getegid();
  *saved = __blitz_input_u32("saved gid");
  return 0;
}

/* Signals to other processes get lost, or there is nobody. */
int kill(pid_t pid, int signal) {
  if (signal < 0 || signal > 64)
    return fail(EINVAL);
  if (pid != getpid() && pid != 0) {
    int code = CHOICE("kill fails", ESRCH, EPERM);
    return code != 0 ? fail(code) : 0;
  }
  return signal == 0 ? 0 : raise(signal);
}

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
