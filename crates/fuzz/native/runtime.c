/* Linked into a fuzzed program: counts edges, and serves runs by forking just before `main`.
 *
 * blitz puts an input into the shared area and writes one byte to FD_COMMAND; the server empties the working folder, forks, waits
 * within the limits, ends whatever the run left behind, and answers on FD_ANSWER. The child gives the input to the program and calls
 * its `main`. Without a shared area the program runs as it is. */
#define _GNU_SOURCE
#include "area.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_sanitize("address", "undefined", "coverage")))

/* Until the area is there, and in programs that run by themselves, counts go nowhere. */
static uint8_t nowhere[MAX_GUARDS];
static struct area *area;
static uint8_t *counts = nowhere;
static uint64_t no_path, no_edges;
static uint64_t *path = &no_path, *edges = &no_edges;
static uint32_t guards;
static int is_child;

/* Coverage. */

PLAIN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start == stop || *start)
    return;
  for (uint32_t *guard = start; guard < stop; guard++)
    *guard = ++guards < MAX_GUARDS ? guards : MAX_GUARDS - 1;
}

PLAIN void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  uint32_t at = *guard;
  if (counts[at] != 255)
    counts[at]++;
  uint64_t mixed = (*path ^ at) * 0x9e3779b97f4a7c15u;
  *path = mixed ^ mixed >> 29;
  ++*edges;
}

extern const char __executable_start;
static struct {
  const uintptr_t *start, *stop;
} tables[64];
static unsigned table_count;

PLAIN void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  if (table_count < 64) {
    tables[table_count].start = start;
    tables[table_count].stop = stop;
    table_count++;
  }
}

/* Tables come in the order of the guards. */
PLAIN static void publish_blocks(void) {
  uint32_t at = 1;
  for (unsigned i = 0; i < table_count; i++)
    for (const uintptr_t *entry = tables[i].start; entry + 1 < tables[i].stop && at < MAX_GUARDS; entry += 2)
      area->blocks[at++] = entry[0] - (uintptr_t)&__executable_start;
}

/* Comparisons, for a run that asks for them. The area is the server's; the child writes to the same memory. */

PLAIN static void compared(uint64_t first, uint64_t second, uint32_t bytes, uint32_t constant) {
  if (!is_child || !area->record || first == second || area->comparisons >= MAX_COMPARISONS)
    return;
  struct comparison *to = &area->compared[area->comparisons++];
  to->first = first;
  to->second = second;
  to->bytes = bytes;
  to->constant = constant;
}

PLAIN void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b) { compared(a, b, 1, 0); }
PLAIN void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b) { compared(a, b, 2, 0); }
PLAIN void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b) { compared(a, b, 4, 0); }
PLAIN void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b) { compared(a, b, 8, 0); }
PLAIN void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b) { compared(a, b, 1, 1); }
PLAIN void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b) { compared(a, b, 2, 1); }
PLAIN void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b) { compared(a, b, 4, 1); }
PLAIN void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b) { compared(a, b, 8, 1); }
PLAIN void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) {
  for (uint64_t i = 0; i < cases[0]; i++)
    compared(cases[2 + i], value, (uint32_t)(cases[1] / 8), 1);
}

PLAIN static void worded(const void *first, size_t m, const void *second, size_t n) {
  if (!is_child || !area->record || area->words >= MAX_WORDS || m == 0 || n == 0)
    return;
  m = m < WORD_BYTES ? m : WORD_BYTES;
  n = n < WORD_BYTES ? n : WORD_BYTES;
  struct words *to = &area->worded[area->words++];
  to->sizes[0] = (uint8_t)m;
  to->sizes[1] = (uint8_t)n;
  for (size_t i = 0; i < m; i++)
    to->bytes[0][i] = ((const uint8_t *)first)[i];
  for (size_t i = 0; i < n; i++)
    to->bytes[1][i] = ((const uint8_t *)second)[i];
}

PLAIN static size_t length(const char *text, size_t most) {
  size_t n = 0;
  while (n < most && n < WORD_BYTES && text[n])
    n++;
  return n;
}

/* AddressSanitizer's versions of these functions call the hooks. */
PLAIN void __sanitizer_weak_hook_memcmp(void *pc, const void *a, const void *b, size_t n, int result) {
  if (result)
    worded(a, n, b, n);
}
PLAIN void __sanitizer_weak_hook_strncmp(void *pc, const char *a, const char *b, size_t n, int result) {
  if (result)
    worded(a, length(a, n), b, length(b, n));
}
PLAIN void __sanitizer_weak_hook_strcmp(void *pc, const char *a, const char *b, int result) {
  if (result)
    worded(a, length(a, WORD_BYTES), b, length(b, WORD_BYTES));
}
PLAIN void __sanitizer_weak_hook_strncasecmp(void *pc, const char *a, const char *b, size_t n, int result) {
  __sanitizer_weak_hook_strncmp(pc, a, b, n, result);
}
PLAIN void __sanitizer_weak_hook_strcasecmp(void *pc, const char *a, const char *b, int result) {
  __sanitizer_weak_hook_strcmp(pc, a, b, result);
}
PLAIN void __sanitizer_weak_hook_strstr(void *pc, const char *a, const char *b, char *result) {
  if (!result)
    worded(a, length(a, WORD_BYTES), b, length(b, WORD_BYTES));
}

/* Giving the input to the program. */

static int input_file = -1;
static int connection = -1;
static uint32_t taken;

/* Inputs the program asks for itself: the next bytes, zeros behind the end. */
PLAIN void blitz_take(const char *name, void *to, size_t n) {
  memset(to, 0, n);
  if (!area || area->carrier != CARRY_DIRECT)
    return;
  size_t left = area->size > taken ? area->size - taken : 0;
  memcpy(to, area->input + taken, n < left ? n : left);
  taken += (uint32_t)(n < left ? n : left);
}

PLAIN static void write_all(int fd, const uint8_t *bytes, size_t n) {
  while (n > 0) {
    ssize_t put = write(fd, bytes, n);
    if (put <= 0)
      return;
    bytes += put;
    n -= (size_t)put;
  }
}

/* A peer that has sent everything and closed its side. */
PLAIN static void open_connection(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return;
  int room = 2 * MAX_INPUT;
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  write_all(ends[1], area->input, area->size);
  shutdown(ends[1], SHUT_WR);
  connection = ends[0];
}

#ifdef FUZZ_SOCKETS
/* The first peer is the input. After it nobody comes: a server would wait for ever. */
PLAIN static int next_peer(void) {
  if (connection < 0)
    exit(0);
  int peer = connection;
  connection = -1;
  return peer;
}
int __real_accept(int fd, struct sockaddr *address, socklen_t *n);
PLAIN int __wrap_accept(int fd, struct sockaddr *address, socklen_t *n) { return next_peer(); }
PLAIN int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *n, int flags) { return next_peer(); }
PLAIN int __wrap_connect(int fd, const struct sockaddr *address, socklen_t n) {
  if (connection < 0)
    return errno = ECONNREFUSED, -1;
  int peer = next_peer();
  dup2(peer, fd);
  close(peer);
  return 0;
}
PLAIN int __wrap_bind(int fd, const struct sockaddr *address, socklen_t n) { return 0; }
PLAIN int __wrap_listen(int fd, int backlog) { return 0; }
#endif

int __real_main(int argc, char **argv, char **envp);
extern char **environ;

/* Exactly as much memory as they need, so that a sanitizer sees reads past their end; on the stack, as the system has it. */
#define EXACT_COPIES(texts)                                                                                            \
  for (size_t i = 0; (texts)[i]; i++) {                                                                                \
    size_t room = strlen((texts)[i]) + 1;                                                                              \
    (texts)[i] = memcpy(__builtin_alloca(room), (texts)[i], room);                                                     \
  }

enum { MOST_ARGUMENTS = 64 };

static void child(int argc, char **argv) {
  static char *arguments[MOST_ARGUMENTS + 1];
  int given = argc < MOST_ARGUMENTS ? argc : MOST_ARGUMENTS;
  for (int i = 0; i < given; i++)
    arguments[i] = argv[i];
  arguments[0] = "./program";
  switch (area->carrier) {
  case CARRY_STDIN: dup2(input_file, 0); break;
  case CARRY_SOCKET: open_connection(); break;
  case CARRY_ENV: {
    char *value = malloc(area->size + 1u);
    memcpy(value, area->input, area->size);
    value[area->size] = 0;
    setenv(area->variable, value, 1);
    free(value);
    break;
  }
  case CARRY_ARGV: {
    char *text = (char *)__builtin_alloca(area->size + 1u);
    memcpy(text, area->input, area->size);
    text[area->size] = 0;
    for (uint32_t at = 0; at < area->size && given < MOST_ARGUMENTS; at += (uint32_t)strlen(text + at) + 1)
      arguments[given++] = text + at;
    break;
  }
  default: break;
  }
  arguments[given] = NULL;
  if (area->carrier != CARRY_STDIN) {
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    close(nothing);
  }
  close(input_file);
  for (int fd = FD_BOX; fd <= FD_ANSWER; fd++)
    close(fd);
  EXACT_COPIES(environ)
  EXACT_COPIES(arguments)
  signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  path = &area->path;
  edges = &area->edges;
  counts = area->counts;
  is_child = 1;
  exit(__real_main(given, arguments, environ));
}

/* The server. */

PLAIN static void empty_folder(int folder) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (!list)
    return;
  struct dirent *entry;
  while ((entry = readdir(list)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (unlinkat(folder, entry->d_name, 0) == 0)
      continue;
    int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) {
      fchmod(inner, 0700);
      empty_folder(inner);
      close(inner);
    }
    unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
  closedir(list);
}

/* Resident memory of a process in MiB. */
PLAIN static unsigned long resident(pid_t pid) {
  char name[64], text[128];
  snprintf(name, sizeof name, "/proc/%d/statm", (int)pid);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *second = strchr(text, ' ');
  return second ? strtoul(second, NULL, 10) >> 8 : 0;
}

/* Of the run: all processes of the box where it has a number space of its own, else the child alone. */
PLAIN static unsigned long all_resident(pid_t pid) {
  if (getpid() != 1)
    return resident(pid);
  unsigned long sum = 0;
  DIR *list = opendir("/proc");
  struct dirent *entry;
  while (list && (entry = readdir(list)) != NULL) {
    int number = atoi(entry->d_name);
    if (number > 1)
      sum += resident(number);
  }
  if (list)
    closedir(list);
  return sum;
}

PLAIN static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Waits for the child within the limits. */
PLAIN static struct answer await(pid_t pid) {
  struct answer answer = {0, 0};
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  long long deadline = now_ms() + area->timeout_ms;
  struct timespec pause = {0, 4000000};
  while (waitpid(pid, &answer.status, WNOHANG) == 0) {
    if (now_ms() >= deadline)
      answer.ended = ENDED_TIME;
    else if (sigtimedwait(&ended, NULL, &pause) < 0 && all_resident(pid) > area->memory_mb)
      answer.ended = ENDED_MEMORY;
    if (answer.ended) {
      kill(pid, SIGKILL);
      waitpid(pid, &answer.status, 0);
      break;
    }
  }
  return answer;
}

/* Ends what the run left behind: everything, where the box has a number space of its own; else its process group. */
PLAIN static void end_others(pid_t pid) {
  if (getpid() != 1) {
    kill(-pid, SIGKILL);
    return;
  }
  while (kill(-1, SIGKILL) == 0)
    while (waitpid(-1, NULL, 0) > 0)
      ;
}

PLAIN static void write_input(int folder) {
  if (area->carrier == CARRY_STDIN) {
    if (ftruncate(input_file, 0) == 0) {
      lseek(input_file, 0, SEEK_SET);
      write_all(input_file, area->input, area->size);
      lseek(input_file, 0, SEEK_SET);
    }
  } else if (area->carrier == CARRY_FILE) {
    int fd = openat(folder, "input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
      write_all(fd, area->input, area->size);
      close(fd);
    }
  }
}

/* Without the handlers that sanitizers run around `fork`: they touch much memory for the sake of other threads, and there are none. */
pid_t _Fork(void) __attribute__((weak));

PLAIN static void serve(int argc, char **argv) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  input_file = memfd_create("input", 0);
  int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct answer hello = {0, 0};
  if (write(FD_ANSWER, &hello, sizeof hello) != sizeof hello)
    _exit(0);
  char command;
  while (read(FD_COMMAND, &command, 1) == 1) {
    empty_folder(folder);
    write_input(folder);
    memset(area->counts, 0, guards < MAX_GUARDS ? guards + 1 : MAX_GUARDS);
    area->path = area->edges = 0;
    area->comparisons = area->words = 0;
    pid_t pid = _Fork ? _Fork() : fork();
    if (pid == 0) {
      setpgid(0, 0);
      struct rlimit cpu = {area->timeout_ms / 1000 + 2, area->timeout_ms / 1000 + 3};
      setrlimit(RLIMIT_CPU, &cpu);
      child(argc, argv);
    }
    struct answer answer = {-1, 0};
    if (pid > 0) {
      answer = await(pid);
      end_others(pid);
    }
    if (write(FD_ANSWER, &answer, sizeof answer) != sizeof answer)
      break;
  }
  _exit(0);
}

int __wrap_main(int argc, char **argv, char **envp) {
  void *shared = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, FD_AREA, 0);
  if (shared == MAP_FAILED)
    return __real_main(argc, argv, envp);
  area = shared;
  if (area->magic != AREA_MAGIC || area->bytes != sizeof *area)
    _exit(98);
  area->guards = guards < MAX_GUARDS ? guards + 1 : MAX_GUARDS;
  publish_blocks();
  serve(argc, argv);
  return 0;
}
