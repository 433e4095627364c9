/* Starts a program in a box: limits, an empty folder of its own, nothing else to write to, no network, no processes but its own.
 *
 *   box FOLDER FOLDER_MB PROCESSES FILE_MB PROGRAM ARGUMENTS...
 *
 * Three levels are tried, the strongest first; FD_BOX gets the letters of what holds, then a newline:
 *   u  a user of its own that owns nothing (only where blitz runs as root: else the user's own)
 *   m  everything but FOLDER is read-only, FOLDER is memory of FOLDER_MB and is gone with the box
 *   n  no network
 *   p  process numbers of its own: when the first process ends, all end
 *   l  at most PROCESSES processes
 *   s  a filter of system calls: no tracing of others, no new namespaces, no mounts
 * Every level has limits on core files, file sizes and descriptors. */
#define _GNU_SOURCE
#include "area.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };
enum level { AS_NOBODY, AS_SELF, BARE };

static const char *folder;
static unsigned long folder_mb, processes, file_mb;
static char **command;
static int program;
static char facts[16];

static void fact(char letter) { facts[strlen(facts)] = letter; }

static void limit(int resource, unsigned long value) {
  struct rlimit both = {value, value};
  setrlimit(resource, &both);
}

static int put(const char *name, const char *text) {
  int fd = open(name, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t n = write(fd, text, strlen(text));
  close(fd);
  return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* The identity of the process `pid` in its new user namespace: root there, `outside` out here. */
static int map_ids(pid_t pid, unsigned user, unsigned group) {
  char name[64], text[64];
  snprintf(name, sizeof name, "/proc/%d/setgroups", (int)pid);
  put(name, "deny");
  snprintf(name, sizeof name, "/proc/%d/gid_map", (int)pid);
  snprintf(text, sizeof text, "0 %u 1", group);
  if (put(name, text) != 0)
    return -1;
  snprintf(name, sizeof name, "/proc/%d/uid_map", (int)pid);
  snprintf(text, sizeof text, "0 %u 1", user);
  return put(name, text);
}

/* Everything read-only, then the folder as memory on top. */
static int own_mounts(void) {
  struct {
    uint64_t set, clear, propagation, namespace;
  } readonly = {1 /* MOUNT_ATTR_RDONLY */, 0, 0, 0};
  char options[128];
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return -1;
  mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  if (syscall(442 /* mount_setattr */, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */, &readonly, sizeof readonly) != 0)
    return -1;
  snprintf(options, sizeof options, "size=%lum,nr_inodes=4096,mode=700", folder_mb);
  if (mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
    return -1;
  return chdir(folder);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
#define DENY(name)                                                                                                     \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (name), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
/* A program for another machine (32 bits) is not filtered. */
static int filter_calls(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      DENY(SYS_ptrace), DENY(SYS_process_vm_readv), DENY(SYS_process_vm_writev), DENY(SYS_mount), DENY(SYS_umount2),
      DENY(SYS_pivot_root), DENY(SYS_unshare), DENY(SYS_setns), DENY(SYS_bpf), DENY(SYS_perf_event_open),
      DENY(SYS_add_key), DENY(SYS_request_key), DENY(SYS_keyctl), DENY(SYS_userfaultfd), DENY(SYS_init_module),
      DENY(SYS_finit_module), DENY(SYS_delete_module), DENY(SYS_kexec_load), DENY(SYS_reboot), DENY(SYS_swapon),
      DENY(SYS_open_by_handle_at), DENY(SYS_kcmp), DENY(425 /* io_uring_setup */), DENY(428 /* open_tree */),
      DENY(429 /* move_mount */), DENY(430 /* fsopen */), DENY(438 /* pidfd_getfd */), DENY(442 /* mount_setattr */),
      /* clone3 hides its flags: the C library falls back to clone, whose namespace flags are looked at. */
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435 /* clone3 */, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x7e020000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
#else
static int filter_calls(void) { return -1; }
#endif

static int is_64_bit(void) {
  unsigned char head[5] = {0};
  return pread(program, head, sizeof head, 0) == sizeof head && head[4] == 2;
}

/* Root of a namespace has every right there; a boxed program needs none. */
static void drop_rights(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  struct {
    uint32_t effective, permitted, inheritable;
  } none[2] = {{0, 0, 0}, {0, 0, 0}};
  prctl(PR_SET_SECUREBITS, 0x3f);
  for (int right = 0; right < 64; right++)
    prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
  syscall(SYS_capset, &header, none);
}

/* The last steps: what holds is reported, and the program begins. Does not return. */
static void begin(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, file_mb << 20);
  limit(RLIMIT_NOFILE, 256);
  limit(RLIMIT_MSGQUEUE, 0);
  put("/proc/self/oom_score_adj", "1000");
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (is_64_bit() == (sizeof(long) == 8) && filter_calls() == 0)
    fact('s');
  fact('\n');
  if (write(FD_BOX, facts, strlen(facts)) < 0)
    _exit(99);
  extern char **environ;
  fcntl(FD_BOX, F_SETFD, FD_CLOEXEC);
  fexecve(program, command, environ);
  _exit(99);
}

/* Waits for the child and ends as it did. */
static void follow(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Inside the new namespaces, identity known. */
static void inside(enum level level, int failed) {
  pid_t first = fork();
  if (first != 0) {
    close(failed);
    follow(first);
  }
  if (own_mounts() != 0) {
    if (write(failed, "m", 1) < 0)
      _exit(99);
    _exit(99);
  }
  if (level == AS_NOBODY)
    fact('u');
  fact('m');
  fact('n');
  fact('p');
  /* Root of the machine is not held by this limit; root of the namespace alone is. */
  limit(RLIMIT_NPROC, processes);
  if (level == AS_NOBODY || getenv("BOX_USER"))
    fact('l');
  close(failed);
  drop_rights();
  begin();
}

/* One attempt in a child of its own; returns if it came to nothing. */
static void attempt(enum level level) {
  int ready[2], go[2], failed[2];
  if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
    return;
  pid_t child = fork();
  if (child < 0)
    return;
  char byte = 0;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    if (unshare(flags) != 0 || write(ready[1], "r", 1) != 1)
      _exit(99);
    close(ready[1]);
    close(failed[0]);
    if (read(go[0], &byte, 1) != 1 || byte != 'g' || setgid(0) != 0 || setuid(0) != 0)
      _exit(99);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    inside(level, failed[1]);
  }
  close(ready[1]);
  close(failed[1]);
  int mapped = 0;
  if (read(ready[0], &byte, 1) == 1)
    mapped = level == AS_NOBODY ? map_ids(child, NOBODY, NOBODY) == 0 : map_ids(child, getuid(), getgid()) == 0;
  if (write(go[1], mapped ? "g" : "x", 1) < 0)
    mapped = 0;
  close(go[1]);
  /* Ends when the program begins, or with the letter of what went wrong. */
  ssize_t wrong = read(failed[0], &byte, 1);
  if (mapped && wrong == 0 && waitpid(child, NULL, WNOHANG) == 0)
    follow(child);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(ready[0]);
  close(go[0]);
  close(failed[0]);
}

int main(int argc, char **argv) {
  if (argc < 6)
    return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  folder = argv[1];
  folder_mb = strtoul(argv[2], NULL, 10);
  processes = strtoul(argv[3], NULL, 10);
  file_mb = strtoul(argv[4], NULL, 10);
  command = argv + 5;
  program = open(command[0], O_RDONLY | O_CLOEXEC);
  if (program < 0) {
    perror(command[0]);
    return 2;
  }
  if (getuid() == 0)
    attempt(AS_NOBODY);
  else
    setenv("BOX_USER", "1", 1);
  attempt(AS_SELF);
  if (chdir(folder) != 0)
    return 2;
  if (getuid() != 0) {
    /* All of the user's processes count here: only so many more. */
    limit(RLIMIT_NPROC, 4096);
  }
  begin();
}
