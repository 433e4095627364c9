/* Features of the machine in the modelled environment: each is there or not, as an input, with something plausible behind it.
 *
 * direction: exact, but for what is said below
 * Absent: inotify and System V shared memory, which are refused where they would be there. */
#define _GNU_SOURCE
#include "model.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

/* Conversions between character sets: the names may be unknown. */
iconv_t iconv_open(const char *to, const char *from) {
  __blitz_check_string(to);
  __blitz_check_string(from);
  int code = CHOICE("iconv_open fails", EINVAL);
  if (code == 0)
    return (iconv_t)__blitz_heap_alloc(1);
  errno = code;
  return (iconv_t)-1;
}

/* direction: more, any bytes come out */
size_t iconv(iconv_t cd, char **restrict in, size_t *restrict in_left, char **restrict out, size_t *restrict out_left) {
  __blitz_check_read(cd, 1);
  if (in == NULL || *in == NULL)
    return 0;
  size_t taken = __blitz_input_size("iconv taken"), made = __blitz_input_size("iconv made");
  __blitz_more("iconv: any bytes come out");
  __blitz_assume(taken <= *in_left && made <= *out_left);
  __blitz_check_read(*in, *in_left);
  __blitz_check_write(*out, made);
  __blitz_input_bytes(*out, made, "iconv");
  *in += taken;
  *in_left -= taken;
  *out += made;
  *out_left -= made;
  if (*in_left == 0)
    return 0;
  errno = __blitz_choice(__blitz_input_int("iconv fails"), EILSEQ, E2BIG, EINVAL);
  __blitz_assume(errno != 0);
  return (size_t)-1;
}

int iconv_close(iconv_t cd) {
  __blitz_heap_free(cd);
  return 0;
}

/* Events: what is waited for, and which of it is ready, as inputs. */
enum { WATCHED = 8 };
static struct watched {
  int set, fd;
  struct epoll_event event;
} watched[WATCHED];

int epoll_create1(int flags) {
  int code = CHOICE("epoll_create fails", EMFILE);
  return code != 0 ? fail(code) : __blitz_new_fd(__blitz_new_file(KIND_SINK, O_RDWR));
}
int epoll_create(int size) { return size <= 0 ? fail(EINVAL) : epoll_create1(0); }

static struct watched *find(int set, int fd) {
  for (int i = 0; i < WATCHED; i++)
    if (watched[i].set == set && watched[i].fd == fd)
      return &watched[i];
  return NULL;
}

int epoll_ctl(int set, int operation, int fd, struct epoll_event *event) {
  if (__blitz_file(set) == NULL || __blitz_file(fd) == NULL)
    return -1;
  struct watched *old = find(set, fd);
  if (operation == EPOLL_CTL_ADD && old != NULL)
    return fail(EEXIST);
  if (operation != EPOLL_CTL_ADD && old == NULL)
    return fail(ENOENT);
  if (operation == EPOLL_CTL_ADD) {
    old = find(0, 0);
    if (old == NULL)
      __blitz_unsupported("epoll_ctl: more than 8 descriptors");
  }
  *old = operation == EPOLL_CTL_DEL ? (struct watched){0} : (struct watched){set, fd, *event};
  return 0;
}

/* direction: fewer, events other than those that were asked for */
int epoll_wait(int set, struct epoll_event *events, int n, int wait) {
  if (n <= 0)
    return fail(EINVAL);
  if (__blitz_file(set) == NULL)
    return -1;
  __blitz_fewer("epoll_wait: errors and hang-ups");
  int ready = 0;
  for (int i = 0; i < WATCHED && ready < n; i++)
    if (watched[i].set == set && __blitz_input_bool("ready"))
      events[ready++] = watched[i].event;
  __blitz_assume(ready > 0 || wait >= 0);
  return ready;
}

int inotify_init1(int flags) {
  if (!__blitz_input_bool("inotify_init fails"))
    __blitz_unsupported("inotify_init");
  return fail(EMFILE);
}
int inotify_init(void) { return inotify_init1(0); }
int inotify_add_watch(int fd, const char *path, uint32_t mask) { return fail(EBADF); }

/* Shared memory: a file of its own. */
int shm_open(const char *name, int flags, mode_t mode) { return open(name, flags, mode); }
int shm_unlink(const char *name) { return unlink(name); }
int shmget(key_t key, size_t n, int flags) {
  if (!__blitz_input_bool("shmget fails"))
    __blitz_unsupported("shmget");
  return fail(ENOSPC);
}
void *shmat(int id, const void *address, int flags) {
  errno = EINVAL;
  return (void *)-1;
}
int shmdt(const void *address) { return fail(EINVAL); }
int shmctl(int id, int command, struct shmid_ds *buf) { return fail(EINVAL); }

/* Network interfaces. */
struct interface {
  struct ifaddrs entry;
  struct sockaddr_in address;
  char name[IFNAMSIZ];
};

static struct ifaddrs *interface(struct ifaddrs *next, const char *name, unsigned flags, in_addr_t address) {
  struct interface *made = __blitz_heap_alloc(sizeof *made);
  memset(made, 0, sizeof *made);
  strcpy(made->name, name);
  made->address.sin_family = AF_INET;
  made->address.sin_addr.s_addr = address;
  made->entry = (struct ifaddrs){.ifa_next = next, .ifa_name = made->name, .ifa_flags = flags};
  if (__blitz_input_bool("interface has an address"))
    made->entry.ifa_addr = (struct sockaddr *)&made->address;
  return &made->entry;
}

/* direction: fewer, other interfaces than "lo" and "eth0" */
int getifaddrs(struct ifaddrs **out) {
  int code = CHOICE("getifaddrs fails", ENOMEM);
  if (code != 0)
    return fail(code);
  __blitz_fewer("getifaddrs: interfaces other than \"lo\" and \"eth0\"");
  *out = interface(NULL, "lo", IFF_UP | IFF_LOOPBACK | IFF_RUNNING, htonl(INADDR_LOOPBACK));
  if (__blitz_input_bool("getifaddrs second"))
    *out = interface(*out, "eth0", IFF_UP | IFF_BROADCAST | IFF_RUNNING, __blitz_input_u32("interface address"));
  return 0;
}

void freeifaddrs(struct ifaddrs *list) {
  for (int i = 0; list != NULL && i < 2; i++) {
    struct ifaddrs *next = list->ifa_next;
    __blitz_heap_free(list);
    list = next;
  }
}

/* New processes: as fork and exec, seen from the parent. */
int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attr,
                char *const argv[], char *const envp[]) {
  __blitz_check_string(path);
  for (int i = 0; argv[i] != NULL; i++) {
    CUT(i, 64, "exec with more than 64 arguments");
    __blitz_check_string(argv[i]);
  }
  int code = CHOICE("posix_spawn fails", ENOENT, EACCES, EAGAIN);
  if (code != 0)
    return code;
  pid_t child = __blitz_new_child();
  if (pid != NULL)
    *pid = child;
  return 0;
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attr,
                 char *const argv[], char *const envp[]) {
  return posix_spawn(pid, file, actions, attr, argv, envp);
}
