/* Features of the machine that `blitz run` does not reach: refused by name.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <iconv.h>
#include <ifaddrs.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>

iconv_t iconv_open(const char *to, const char *from) { __blitz_unsupported("iconv_open"); }
size_t iconv(iconv_t cd, char **restrict in, size_t *restrict in_left, char **restrict out, size_t *restrict out_left) { __blitz_unsupported("iconv"); }
int iconv_close(iconv_t cd) { return 0; }
int epoll_create(int size) { __blitz_unsupported("epoll_create"); }
int epoll_create1(int flags) { __blitz_unsupported("epoll_create1"); }
int epoll_ctl(int fd, int operation, int target, struct epoll_event *event) { return fail(EBADF); }
int epoll_wait(int fd, struct epoll_event *events, int n, int wait) { return fail(EBADF); }
int inotify_init(void) { __blitz_unsupported("inotify_init"); }
int inotify_init1(int flags) { __blitz_unsupported("inotify_init1"); }
int inotify_add_watch(int fd, const char *path, uint32_t mask) { return fail(EBADF); }
int shmget(key_t key, size_t n, int flags) { __blitz_unsupported("shmget"); }
void *shmat(int id, const void *address, int flags) {
  errno = EINVAL;
  return (void *)-1;
}
int shmdt(const void *address) { return fail(EINVAL); }
int shmctl(int id, int command, struct shmid_ds *buf) { return fail(EINVAL); }
int shm_open(const char *name, int flags, mode_t mode) { __blitz_unsupported("shm_open"); }
int shm_unlink(const char *name) { __blitz_unsupported("shm_unlink"); }
int getifaddrs(struct ifaddrs **out) { __blitz_unsupported("getifaddrs"); }
void freeifaddrs(struct ifaddrs *list) {}
int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attr,
                char *const argv[], char *const envp[]) {
  __blitz_unsupported("posix_spawn");
}
int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attr,
                 char *const argv[], char *const envp[]) {
  __blitz_unsupported("posix_spawnp");
}
